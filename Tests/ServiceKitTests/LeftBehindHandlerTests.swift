import Foundation
import Glibc
import RPC
import RPCTestKit
import Testing

@testable import ServiceKit

struct LeftBehindHandlerTests {
    private static let hang = Method("test.hang", "Never end.", params: Empty.codec, answer: Empty.codec)

    private static var table: MethodTable {
        var table = MethodTable(Contract(name: "test", version: 1, methods: [hang.description]))
        table.handle(hang) { _, _ in
            kill(getpid(), SIGTERM)
            // Ignores cancellation.
            await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            return Empty()
        }
        return table
    }

    /// In a separate process, because the process exits.
    @Test func `a handler that ignores cancellation does not stop the process from exiting`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            beginOwnProcess()
            try await withTemporaryDirectory { root in
                let options = try ServiceOptions.parse(["--root", root, "--drain-time", "0"])
                let process = ServiceProcess(name: "test", options: options)
                let socket = try process.takeSocket()
                let path = try #require(socket.path)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await process.serve(Self.table, on: socket, health: { [] })
                        fatalError("the server has waited for its handler")
                    }
                    let peer = try await WirePeer.connect(to: path)
                    try await peer.send(#"{"jsonrpc":"2.0","id":1,"method":"test.hang"}"#)
                    try await group.waitForAll()
                }
            }
        }
        let log = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(log.contains("stopping without waiting for test.hang: still running"))
    }
}
