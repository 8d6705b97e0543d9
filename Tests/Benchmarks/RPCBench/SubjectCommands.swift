import ArgumentParser
import BenchKit
import Foundation
import RPC

/// The server of one subject, started by `Run`.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serve one subject.", shouldDisplay: false)

    @Argument var subject: OwnSubject
    @Argument var socket: String

    func run() async throws { try await subject.serve(on: socket, executor: .shared) }
}

/// A peer that never reads, started by `DeafPeer`.
struct ServeDeaf: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Accept connections, never read.", shouldDisplay: false)

    @Argument var socket: String
    @Flag(help: "Answer rpc.hello first.") var greets = false

    func run() throws { try DeafListener.serve(on: socket, greets: greets) }
}

/// One round of one subject, started by `Run`. Prints a `Measurement`.
struct Measure: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Call one subject.", shouldDisplay: false)

    @Argument var subject: OwnSubject
    @Argument var socket: String
    @Argument var load: String

    func run() async throws {
        let load = try JSONDecoder().decode(Load.self, from: Data(load.utf8))
        UnixAddress(socket).waitUntilServed()
        try await subject.measure(load, over: socket).printLine()
    }
}
