import Foundation
import RPC
import RPCTestKit
import Testing

/// The messages of a service to its supervisor.
struct NotificationTests {
    /// - Parameter isAbstract: whether the supervisor's socket is an abstract one.
    @Test(arguments: Deployment.services + ["gateway"], [false, true])
    func `a service sends READY when it accepts connections, and STOPPING when it begins to drain`(
        name: String, isAbstract: Bool
    ) async throws {
        try await withTemporaryDirectory { root in
            let address = isAbstract ? "@image-feed-\(UUID())" : root + "/notify"
            try await NotifySocket.with(address) { supervisor in
                let program = try Self.start(name, root, ["NOTIFY_SOCKET": address])
                defer { program.send(SIGKILL) }
                var messages = supervisor.messages.makeAsyncIterator()
                let path = "\(root)/run/\(name).sock"
                #expect(await messages.next() == "READY=1\nSTATUS=serving on \(path)")
                try await RPCClient.withConnection(to: SocketPath(path), as: "test") { client in
                    _ = try await client.call(ProtocolMethods.ping, Empty())
                }
                program.send(SIGTERM)
                #expect(await messages.next() == "STOPPING=1\nSTATUS=finishing the calls under way")
                #expect(await program.ended() == 0)
            }
        }
    }

    @Test(arguments: Deployment.services + ["gateway"])
    func `a supervisor with a watchdog receives a keep-alive message, and no more when draining begins`(name: String)
        async throws
    {
        try await withTemporaryDirectory { root in
            let address = root + "/notify"
            try await NotifySocket.with(address) { supervisor in
                let program = try Self.start(
                    name, root, ["NOTIFY_SOCKET": address, "WATCHDOG_USEC": "60000000"])
                defer { program.send(SIGKILL) }
                var messages = supervisor.messages.makeAsyncIterator()
                #expect(await messages.next()?.hasPrefix("READY=1\n") == true)
                // The first of them. `WatchdogTests` tests the pauses between them.
                #expect(await messages.next() == "WATCHDOG=1")
                program.send(SIGTERM)
                #expect(await messages.next()?.hasPrefix("STOPPING=1") == true)
                #expect(await program.ended() == 0)
                let lines = await program.errors.whole().split(separator: "\n")
                #expect(lines.count(where: { !$0.contains("no plugins") }) == 1)
            }
        }
    }

    @Test func `keep-alive messages also work with a passed socket`() async throws {
        try await withTemporaryDirectory { root in
            let address = root + "/notify"
            try await NotifySocket.with(address) { supervisor in
                let program = try SocketSupervisor.start(
                    "feed-service", ["--root", root], passing: [.listener(root + "/ours.sock")],
                    environment: ["NOTIFY_SOCKET": address, "WATCHDOG_USEC": "60000000"])
                defer { program.send(SIGKILL) }
                var messages = supervisor.messages.makeAsyncIterator()
                #expect(await messages.next() == "READY=1\nSTATUS=serving on \(root)/ours.sock")
                #expect(await messages.next() == "WATCHDOG=1")
                program.send(SIGTERM)
                #expect(await program.ended() == 0)
            }
        }
    }

    @Test(arguments: ["/nowhere/notify", "vsock:2:1234", "@" + String(repeating: "x", count: 200)])
    func `an unreachable supervisor is one line, and the service serves`(address: String) async throws {
        try await withTemporaryDirectory { root in
            let program = try Self.start("feed", root, ["NOTIFY_SOCKET": address, "WATCHDOG_USEC": "60000000"])
            defer { program.send(SIGKILL) }
            #expect(await program.errors.wait(for: "cannot notify the supervisor at \(address)"))
            let path = try SocketPath("\(root)/run/feed.sock")
            try await RPCClient.withConnection(to: path, as: "test") { client in
                _ = try await client.call(ProtocolMethods.ping, Empty())
            }
            program.send(SIGTERM)
            #expect(await program.ended() == 0)
            #expect(await program.errors.whole().split(separator: "\n").count == 2)
        }
    }

    private static func start(
        _ name: String, _ root: String, _ environment: [String: String]
    ) throws -> RunningProgram {
        let isGateway = name == "gateway"
        return try Program(isGateway ? name : name + "-service").start(
            (isGateway ? ["serve", "--http", "off"] : []) + ["--root", root], environment: environment, errors: nil)
    }
}
