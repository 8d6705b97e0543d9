import ContractKit
import Foundation
import JSON
import RPCTestKit
import Testing

/// Clients that `gateway client` writes, against running services.
@Suite struct WrittenClientTests {
    private static let expected = """
        1 7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E 1 1
        already_exists -32009
        Failure invalid_params
        7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E store
        reset seq
        True

        """

    @Test func `a client in Python calls the running services`() async throws {
        try await withClients(.python, suffix: ".py") { directory, sockets in
            let use = Self.folder + "/use.py"
            let outcome = try await Program(path: "/usr/bin/env").run(
                ["python3", use] + sockets, environment: ["PYTHONPATH": directory])
            #expect(outcome.output == Self.expected, "\(outcome.errors)")
        }
    }

    @Test(.enabled(if: isInstalled("tsc") && isInstalled("node"), "needs tsc and node (Debian: node-typescript)"))
    func `a client in TypeScript is well typed and calls the running services`() async throws {
        try await withClients(.typescript, suffix: ".ts") { directory, sockets in
            for file in ["use.ts", "node.d.ts"] {
                try FileManager.default.copyItem(atPath: Self.folder + "/" + file, toPath: directory + "/" + file)
            }
            try Data(#"{"type":"module"}"#.utf8).write(to: URL(filePath: directory + "/package.json"))
            let files = ["use.ts", "node.d.ts", "likes.ts", "feed.ts", "image_data.ts"].map { directory + "/" + $0 }
            let compiled = try await Program(path: "/usr/bin/env").run(
                [
                    "tsc", "--strict", "--target", "es2022", "--module", "es2022", "--moduleResolution", "node",
                    "--lib", "es2022",
                ]
                    + files)
            #expect(compiled.status == 0, "\(compiled.output)")
            let outcome = try await Program(path: "/usr/bin/env").run(["node", directory + "/use.js"] + sockets)
            let lines = outcome.output.split(separator: "\n")
            #expect(
                lines == [
                    "1 7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E 1 1", "already_exists",
                    "7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E store", "reset seq",
                ], "\(outcome.errors)")
        }
    }

    @Test(
        arguments: ClientWriter.Language.allCases,
        [
            #"{"name":"a\"b","version":1,"methods":[]}"#, #"{"name":"a","version":1}"#,
            #"{"name":"a","version":1,"methods":[{"name":"a.b()","params":{},"result":{}}]}"#,
            #"{"name":"a","version":1,"methods":[{"name":"a.b","params":{},"result":{},"errors":["x y"]}]}"#,
        ])
    func `names that would become code of their own are refused`(language: ClientWriter.Language, text: String) {
        #expect(throws: ContractMistake.self) { try ClientWriter.text(of: JSONValue(json: text), in: language) }
    }

    @Test func `a client in Python of a contract without methods has what it needs`() async throws {
        try await withTemporaryDirectory { directory in
            let text = try ClientWriter.text(
                of: JSONValue(json: #"{"name":"a","version":1,"methods":[]}"#), in: .python)
            try text.write(toFile: directory + "/a.py", atomically: true, encoding: .utf8)
            let use = "import a; print(a._unpacked({'x': [1]}), callable(a._send), callable(a._receive))"
            let outcome = try await Program(path: "/usr/bin/env").run(
                ["python3", "-c", use], environment: ["PYTHONPATH": directory])
            #expect(outcome.output == "{'x': [1]} True True\n", "\(outcome.errors)")
        }
    }

    /// Writes clients of likes, feed and image-data into a directory, and starts these services.
    private func withClients(
        _ language: ClientWriter.Language, suffix: String, _ body: (String, [String]) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            for contract in ["likes", "feed", "image-data"] {
                let declared = try ContractSuite.contract(file: contractFolder(contract + "/contract.json"))
                let file = "\(directory)/\(contract.replacing("-", with: "_"))\(suffix)"
                try ClientWriter.text(of: declared, in: language).write(toFile: file, atomically: true, encoding: .utf8)
            }
            let likes = directory + "/likes.sock"
            let script = Program.repository + "/Tests/ContractTests/Likes/likes.py"
            let program = try Program(path: "/usr/bin/env").start(["python3", script, likes], errors: nil)
            defer { program.send(SIGKILL) }
            try await RunningService.with("feed", root: directory) { _ in
                let arguments = ["--no-fetch", "--variants", "off"]
                try await RunningService.with("image-data", root: directory, arguments: arguments) { _ in
                    #expect(await program.errors.wait(for: "serving"))
                    try await body(
                        directory, [likes, "\(directory)/run/feed.sock", "\(directory)/run/image-data.sock"])
                }
            }
        }
    }

    private static let folder = Program.repository + "/Tests/ContractTests/Clients"
}

private func isInstalled(_ program: String) -> Bool {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
}
