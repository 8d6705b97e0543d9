import BenchKit
import Foundation

/// grpc-swift-2 as a subject of `rpc-bench`, with its defaults: raw bytes in both directions over a Unix socket.
@main
struct GRPCBench {
    static let usage = "Usage: grpc-bench serve SOCKET | grpc-bench measure SOCKET LOAD-AS-JSON\n"

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch (arguments.first, arguments.count) {
        case ("serve", 2): try await BenchService.serve(on: arguments[2])
        case ("measure", 3):
            let load = try JSONDecoder().decode(Load.self, from: Data(arguments[3].utf8))
            UnixAddress(arguments[2]).waitUntilServed()
            try await Caller.measure(load, socket: arguments[2]).printLine()
        default:
            FileHandle.standardError.write(Data(usage.utf8))
            exit(64)
        }
    }
}
