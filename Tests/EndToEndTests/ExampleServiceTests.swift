import Foundation
import RPCTestKit
import Testing

/// `Services/Examples/likes.py`: a service needs only the first three sections of the protocol.
@Suite struct ExampleServiceTests {
    private static let path = Program.repository + "/Services/Examples/likes.py"

    @Test func `the gateway forwards to it, and reports it as ready and serving`() async throws {
        try await withTemporaryDirectory { root in
            for folder in ["run", "plugins.d"] {
                try FileManager.default.createDirectory(
                    atPath: "\(root)/\(folder)", withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            }
            let manifest = #"{"name":"likes","socket":"likes.sock","contracts":{"likes":1},"required":true}"#
            try Data(manifest.utf8).write(to: URL(filePath: root + "/plugins.d/likes.json"))
            // A socket that the last process has left.
            try Data().write(to: URL(filePath: root + "/run/likes.sock"))
            let likes = try Program(path: "/usr/bin/env").start(
                ["python3", Self.path, root + "/run/likes.sock"], errors: nil)
            defer { likes.send(SIGKILL) }
            #expect(await likes.errors.wait(for: "serving on"))
            let gateway = try Program("gateway").start(["serve", "--root", root], errors: nil)
            defer { gateway.send(SIGKILL) }
            #expect(await gateway.errors.wait(for: "serving on"))

            let (image, other) = ("image_id=\(UUID().uuidString)", "image_id=\(UUID().uuidString)")
            for (arguments, answer) in [
                (["likes.count", image], 0), (["likes.add", image], 1), (["likes.add", image.lowercased()], 2),
                (["likes.count", image], 2), (["likes.count", other], 0),
            ] {
                let called = try await run(["call"] + arguments, root)
                #expect(called.status == 0 && called.output == "{\"count\": \(answer)}\n", "\(called.errors)")
            }
            for (arguments, complaint) in [
                (["likes.count"], "params.image_id"), (["likes.count", image, "a=1"], "params.image_id"),
                (["likes.remove", image], "there is no method likes.remove"),
            ] {
                let refused = try await run(["call"] + arguments, root)
                #expect(refused.status == 64 && refused.errors.contains(complaint), "\(refused.errors)")
            }
            #expect(try await run(["plugins"], root).output.contains("ready"))
            #expect(try await run(["health"], root).status == 0)
        }
    }

    @Test func `it has at most fifty lines`() throws {
        let text = try String(contentsOfFile: Self.path, encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 50)
    }

    private func run(_ arguments: [String], _ root: String) async throws -> Program.Outcome {
        try await Program("gateway").run(arguments, environment: ["ROOT": root, "LC_ALL": "C.UTF-8"])
    }
}
