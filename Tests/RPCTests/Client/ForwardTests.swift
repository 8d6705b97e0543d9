import JSON
import RPCTestKit
import Testing

@testable import RPC

/// Calls that a server forwards without a task.
struct ForwardTests {
    /// - Parameter executor: the executor of the forwarding client.
    private static func withFront(
        _ gate: Gate, executor: LoopExecutor = .shared, _ body: (RPCClient) async throws -> Void
    ) async throws {
        try await TestServer.with(EchoContract.table(gate)) { back in
            try await RPCClient.withConnection(to: back.path, as: "front", executor: executor) { client in
                var table = MethodTable()
                table.forward = { client.forward($0, $1, CallOptions(onBehalfOf: $2), completion: $3) }
                try await TestServer.with(table, named: "front") { front in
                    try await RPCClient.withConnection(to: front.path, as: "caller") { try await body($0) }
                }
            }
        }
    }

    @Test func `calls and errors are forwarded, also to a client on another event loop`() async throws {
        for executor in [LoopExecutor.shared, .separate()] {
            try await Self.withFront(Gate(), executor: executor) { caller in
                let answer = try await caller.call(EchoContract.echo, .init(text: "a"))
                #expect(answer.text == "a")
                await #expect(throws: RPCError.self) { try await caller.call("echo.nothing", RawJSON.emptyObject) }
            }
        }
    }

    @Test func `cancelling a forwarded call cancels it at its destination`() async throws {
        let gate = Gate()
        try await Self.withFront(gate) { caller in
            let call = Task { try await caller.call(EchoContract.wait, .init(text: "a")) }
            #expect(await gate.arrival() == "a")
            call.cancel()
            let error = await #expect(throws: RPCError.self) { try await call.value }
            #expect(error?.kind == .cancelled)
            #expect(await gate.cancellation() == "a")
            try await caller.expectEcho()
        }
    }
}
