import Foundation
import RPC
import RPCTestKit
import Testing

/// The log lines about failed requests.
@Suite struct FailureTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let fields = ["traceparent: 00-\(trace)-b7ad6b7169203331-01"]
    private static let comments = "/v1/image/6A2B2B9E-5B4E-4A53-8F5B-0A9B0C0D0E0F/comments"

    /// Runs a gateway with only the comments service.
    /// - Parameter service: arguments of the service.
    private static func with(
        service arguments: [String] = [], gateway others: [String] = [],
        _ body: (_ service: RunningService, _ gateway: RunningProgram, _ port: Int) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { root in
            try FileManager.default.createDirectory(atPath: root + "/plugins.d", withIntermediateDirectories: true)
            let manifest =
                #"{"name":"comments","socket":"comments.sock","contracts":{"comments":1},"timeout_ms":12000}"#
            try Data(manifest.utf8).write(to: URL(fileURLWithPath: root + "/plugins.d/comments.json"))
            try await RunningService.with("comments", root: root, arguments: arguments) { service in
                // On a slow machine any request may be slow.
                let arguments = ["serve", "--root", root, "--slow-request", "3600"] + others
                let gateway = try Program("gateway").start(arguments, errors: nil)
                defer { gateway.send(SIGKILL) }
                try await gateway.serves()
                try await body(service, gateway, try gateway.httpPort())
            }
        }
    }

    /// Whether all threads of a process are stopped. `kill` returns before they are.
    private static func isStopped(_ id: Int32) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/task").allSatisfy { thread in
            try String(contentsOfFile: "/proc/\(id)/task/\(thread)/stat", encoding: .utf8).contains(") T ")
        }
    }

    private static func lines(_ log: String, _ part: String) -> [Substring] {
        log.split(separator: "\n").filter { $0.contains(part) }
    }

    @Test func `a failed request is one line with its trace id in every process`() async throws {
        // No server listens on port 1.
        try await Self.with(service: ["--upstream", "http://127.0.0.1:1"]) { service, gateway, port in
            let reply = try await HTTPPeer.exchange(port: port, Self.comments, Self.fields)
            #expect(reply.status == 502 && reply.text.contains(Self.trace))
            #expect(await gateway.errors.wait(for: "failed: "))
            let atGateway = Self.lines(gateway.errors.text, Self.trace)
            #expect(atGateway.count == 1 && atGateway[0].contains("GET \(Self.comments) failed: connectivity"))
            _ = await service.logLines(with: "failed: ")
            let atService = Self.lines(service.log, "comments.list failed: connectivity")
            #expect(atService.count == 1 && atService[0].contains(Self.trace), "\(service.log)")
        }
    }

    @Test func `at level debug each call is one line with its trace id in every process`() async throws {
        let debug = ["--log-level", "debug"]
        try await Self.with(service: debug, gateway: debug) { service, gateway, port in
            let reply = try await HTTPPeer.exchange(port: port, Self.comments, Self.fields)
            #expect(reply.status == 200)
            // A line about the plugin's state may have the trace id too.
            #expect(await gateway.errors.wait(for: "GET \(Self.comments) 200 after"))
            #expect(Self.lines(gateway.errors.text, "GET \(Self.comments) 200 after").count == 1)
            #expect(Self.lines(gateway.errors.text, "200 after").allSatisfy { $0.contains(Self.trace) })
            _ = await service.logLines(with: "comments.list ok after")
            let calls = Self.lines(service.log, "comments.list ok after")
            #expect(calls.count == 1 && calls[0].contains(Self.trace) && calls[0].contains("called by gateway"))
        }
    }

    @Test func `a service that does not answer costs one time limit, then its calls fail at once`() async throws {
        try await Self.with { service, gateway, port in
            kill(service.id, SIGSTOP)
            defer { kill(service.id, SIGCONT) }
            try await eventually { try Self.isStopped(service.id) }
            let reply = try await HTTPPeer.exchange(port: port, Self.comments, Self.fields)
            #expect(reply.status == 504)
            #expect(await gateway.errors.wait(for: "does not answer: its calls fail at once"))
            let refused = try await HTTPPeer.exchange(port: port, Self.comments)
            #expect(refused.status == 503 && !refused.text.contains("/run/"), "\(refused.text)")
            // One line for the call, and one for the change of the peer's state.
            let lines = Self.lines(gateway.errors.text, Self.trace)
            #expect(lines.count { $0.contains("failed: ") } == 1 && lines.count == 2, "\(lines)")

            kill(service.id, SIGCONT)
            #expect(await gateway.errors.wait(for: "answers again"))
            #expect(try await HTTPPeer.exchange(port: port, Self.comments).status == 200)
            #expect(Self.lines(gateway.errors.text, "plugin comments").count == 2, "\(gateway.errors.text)")
        }
    }

    @Test func `a service that goes down and restarts is two lines`() async throws {
        try await withTemporaryDirectory { root in
            try FileManager.default.createDirectory(atPath: root + "/plugins.d", withIntermediateDirectories: true)
            let manifest = #"{"name":"comments","socket":"comments.sock","contracts":{"comments":1}}"#
            try Data(manifest.utf8).write(to: URL(fileURLWithPath: root + "/plugins.d/comments.json"))
            let gateway = try Program("gateway").start(["serve", "--root", root, "--log-level", "debug"], errors: nil)
            defer { gateway.send(SIGKILL) }
            try await gateway.serves()
            try await RunningService.with("comments", root: root) { service in
                let port = try gateway.httpPort()
                try await eventually { try await HTTPPeer.exchange(port: port, Self.comments).status == 200 }
                try await service.stop()
            }
            #expect(await gateway.errors.wait(for: "is down"))
            try await RunningService.with("comments", root: root) { _ in
                #expect(await gateway.errors.wait(for: "is back, as another process"))
            }
            let lines = Self.lines(gateway.errors.text, "plugin comments at \(root)/run/comments.sock")
            #expect(lines.count(where: { $0.contains("is back, as another process") }) == 1)
        }
    }

    @Test func `a running program creates its removed socket again, and logs that`() async throws {
        try await withTemporaryDirectory { root in
            try await RunningService.with("comments", root: root) { service in
                try FileManager.default.removeItem(atPath: root + "/run")
                _ = await service.logLines(with: "and works again")
                let path = try SocketPath(root + "/run/comments.sock")
                try await RPCClient.withConnection(to: path, as: "test") { client in
                    _ = try await client.call(ProtocolMethods.ping, Empty())
                }
                #expect(Self.lines(service.log, "and works again").count == 1)
            }
        }
    }

    @Test func `a program whose path another process has taken exits with 69 and names the process`() async throws {
        try await withTemporaryDirectory { root in
            let failure = await #expect(throws: RunningService.Failure.self) {
                try await RunningService.with("comments", root: root) { service in
                    try FileManager.default.removeItem(atPath: root + "/run")
                    try await RunningService.with("comments", root: root) { successor in
                        #expect(await service.logLines(with: "is in use by process \(successor.id)").count >= 1)
                        _ = try await successor.client.call(ProtocolMethods.ping, Empty())
                    }
                }
            }
            #expect(failure?.status == 69)
        }
    }
}
