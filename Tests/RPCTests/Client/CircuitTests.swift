import NIOCore
import RPCTestKit
import Testing

@testable import RPC

@Suite(.timeLimit(.minutes(5))) struct CircuitTests {
    @Test func `failures in a row open it, and anything heard closes it`() {
        var circuit = Circuit()
        circuit.heard()
        for _ in 1..<Circuit.threshold { circuit.failed(isConnecting: false) }
        #expect(!circuit.isOpen)
        circuit.heard()
        for _ in 1..<Circuit.threshold { circuit.failed(isConnecting: true) }
        #expect(!circuit.isOpen)
        circuit.failed(isConnecting: false)
        #expect(circuit.isOpen)
        circuit.failed(isConnecting: true)
        #expect(circuit.isOpen)
        circuit.heard()
        #expect(!circuit.isOpen)
    }

    @Test func `a peer that was never there is not waited for`() {
        var circuit = Circuit()
        circuit.failed(isConnecting: true)
        #expect(circuit.isOpen)
        circuit = Circuit()
        for _ in 1..<Circuit.threshold { circuit.failed(isConnecting: false) }
        #expect(!circuit.isOpen)
        circuit.failed(isConnecting: false)
        #expect(circuit.isOpen)
    }

    @Test func `a peer that answers nothing gets no more calls but probes, until it is heard of`() async throws {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                let peer = try await listener.acceptGreeting()
                // From now on a call leaves when it is made.
                while await client.greeting() == nil { await Task.yield() }
                for _ in 0..<Circuit.threshold {
                    let error = await #expect(throws: RPCError.self) {
                        try await client.call(
                            EchoContract.echo, .init(text: "a"), CallOptions(timeout: .milliseconds(20)))
                    }
                    #expect(error?.kind == .deadlineExceeded)
                }
                let refused = await #expect(throws: RPCError.self) {
                    try await client.call(EchoContract.echo, .init(text: "a"))
                }
                #expect(refused?.kind == .unavailable)
                #expect(refused?.begun == false)
                #expect(refused?.message == "\(listener.path): it does not answer; tried again in the background")

                // Each call that was sent, and its cancelling; then probes, and no more of the calls.
                let probe = #"{"jsonrpc":"2.0","id":-1,"method":"rpc.ping","params":{}}"#
                var before: [String] = []
                while let text = try await peer.receive(), text != probe { before.append(text) }
                #expect(before.filter { $0.contains("rpc.cancel") }.count <= Circuit.threshold)
                #expect(before.allSatisfy { $0.contains("echo.say") || $0.contains("rpc.cancel") })
                // The next has an id of its own: a peer that was stuck finds both at once.
                #expect(try await peer.receive() == probe.replacing("-1", with: "-2"))
                try await peer.send(#"{"jsonrpc":"2.0","id":-1,"result":{}}"#)

                let answering = Task {
                    while let text = try await peer.receive() {
                        guard let id = text.firstMatch(of: /"id":([0-9]+),"method":"echo.say"/)?.1 else { continue }
                        try await peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{"text":"b"}}"#)
                    }
                }
                // What is called before the answer to the probe was read is refused still.
                var answer: String?
                while answer == nil {
                    do {
                        answer = try await client.call(EchoContract.echo, .init(text: "again")).text
                    } catch let error as RPCError where error.kind == .unavailable && !error.begun {
                        await Task.yield()
                    }
                }
                #expect(answer == "b")
                answering.cancel()
                _ = await answering.result
            }
        }
    }

    @Test func `a peer that accepts and never answers the greeting opens it too, until it does`() async throws {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                let peer = try await listener.accept()
                #expect(try await peer.receive()?.contains("rpc.hello") == true)
                for _ in 0..<Circuit.threshold {
                    let error = await #expect(throws: RPCError.self) {
                        try await client.call(
                            EchoContract.echo, .init(text: "a"), CallOptions(timeout: .milliseconds(20)))
                    }
                    #expect(error?.kind == .deadlineExceeded && error?.begun == false)
                }
                let refused = await #expect(throws: RPCError.self) {
                    try await client.call(EchoContract.echo, .init(text: "a"))
                }
                #expect(refused?.kind == .unavailable && refused?.begun == false)
                #expect(try await peer.receive() == #"{"jsonrpc":"2.0","id":-1,"method":"rpc.ping","params":{}}"#)

                try await peer.sendGreeting()
                while await client.greeting() == nil { await Task.yield() }
                let call = callEcho(client)
                var text = try await peer.receive()
                while text?.contains("rpc.ping") == true { text = try await peer.receive() }
                #expect(text?.contains(#""id":\#(Circuit.threshold + 2),"method":"echo.say""#) == true)
                try await peer.send(#"{"jsonrpc":"2.0","id":\#(Circuit.threshold + 2),"result":{"text":"b"}}"#)
                #expect(try await call.value == "b")
            }
        }
    }
}
