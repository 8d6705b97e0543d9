import FeedContract
import Foundation
import RPC
import RPCTestKit
import Testing

/// `Services/Examples/feed.py`: a client needs only the first three sections of the protocol.
@Suite struct ExampleClientTests {
    private static let path = Program.repository + "/Services/Examples/feed.py"

    private func run(_ arguments: [String], root: String) async throws -> Program.Outcome {
        try await Program(path: "/usr/bin/env").run(
            ["python3", Self.path] + arguments, environment: ["ROOT": root, "LC_ALL": "C.UTF-8"])
    }

    @Test func `it lists the whole feed over the gateway's socket, over the feed's, and for a reader that leaves`()
        async throws
    {
        try await Deployment.with { deployment in
            let items = (0..<250).map {
                FeedItem(
                    id: UUID(), description: $0 == 0 ? "Pão\nde\u{1B} queijo" : nil, location: "\($0)", image: "urn:x:y"
                )
            }
            let socket = try SocketPath(deployment.root + "/run/feed.sock")
            try await RPCClient.withConnection(to: socket, as: "test") { client in
                for start in [200, 100, 0] {
                    let batch = Array(items[start..<min(start + 100, items.count)])
                    _ = try await client.call(FeedContract.publish, PublishedItems(items: batch))
                }
            }
            let lines = items.map { "\($0.id) \($0.description == nil ? $0.location ?? "" : "Pãode queijo")\n" }
            for arguments in [[], [deployment.root + "/run/gateway.sock"], [deployment.root + "/run/feed.sock"]] {
                let outcome = try await run(arguments, root: deployment.root)
                #expect(outcome.status == 0 && outcome.errors.isEmpty)
                #expect(outcome.output == lines.joined())
            }
            // A reader that leaves ends it quietly.
            let outcome = try await Program(path: "/bin/bash").run(
                ["-c", "python3 '\(Self.path)' | true; echo ${PIPESTATUS[0]}"],
                environment: ["ROOT": deployment.root, "PATH": "/usr/local/bin:/usr/bin:/bin"])
            // 141 if the reader has left before the first line.
            #expect(["0\n", "141\n"].contains(outcome.output) && outcome.errors.isEmpty, "\(outcome)")
        }
    }

    @Test func `an error is one line with the reason`() async throws {
        try await Deployment.with { deployment in
            try await deployment.program("feed").stop()
            let refused = try await run([], root: deployment.root)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("feed.sock") && refused.errors.contains("(unavailable)"))
            let nobody = try await run([deployment.root + "/run/nobody.sock"], root: deployment.root)
            #expect(nobody.status == 1 && nobody.errors.contains("nobody.sock: No such file or directory"))
            for errors in [refused.errors, nobody.errors] { #expect(errors.split(separator: "\n").count == 1) }
        }
    }

    @Test func `its help is printed`() async throws {
        let help = try await run(["--help"], root: "/nonexistent")
        #expect(help.status == 0 && help.errors.isEmpty && help.output.contains("Usage: feed.py [SOCKET]"))
    }
}
