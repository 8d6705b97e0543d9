import ContractCases
import ContractKit
import Foundation
import RPC
import RPCTestKit
import Testing

/// `gateway verify`, `gateway contract diff` and `gateway client`. None of them needs a running gateway.
@Suite struct ContractCommandTests {
    private static let gateway = Program("gateway")
    private static let likes = "exec python3 '\(Program.repository)/Tests/ContractTests/Likes/likes.py' {socket}"

    @Test func `a right implementation exits with 0, and a line for each case`() async throws {
        let outcome = try await Self.gateway.run(["verify", "likes", "--timeout", "60", "--start", Self.likes])
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(
            outcome.output == """
                likes/liking: 13 passed
                likes/limits: 15 passed
                likes/contract.json: 1 skipped (the implementation does not describe itself)
                skipped 1 of 29 steps, in 1 of 3 cases: the implementation does not describe itself
                28 passed, 0 failed, 1 skipped

                """)
        #expect(outcome.errors == "")
    }

    @Test func `a stream that the implementation does not open fails the steps that continue it`() async throws {
        let outcome = try await Self.gateway.run(["verify", "comments", "--timeout", "60", "--start", Self.likes])
        #expect(outcome.status == 1, "\(outcome.errors)")
        #expect(outcome.output.contains("the implementation has not opened the stream live"), "\(outcome.output)")
    }

    @Test func `a wrong implementation exits with 1, and the report says what differs`() async throws {
        let start = Self.likes + " 'counts again'"
        let outcome = try await Self.gateway.run(["verify", "likes", "--timeout", "60", "--start", start])
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("  failed: the same like again\n    sent      {\"jsonrpc\":\"2.0\","))
        #expect(
            outcome.output.contains(
                "\n    expected  {\"result\":{\"count\":3}}\n    received  {\"result\":{\"count\":4}}\n"))
        #expect(outcome.output.contains("\n    differs   result.count must be 3, is 4\n"))
    }

    @Test(arguments: [
        ("json", "{\"passed\":28,"), ("tap", "TAP version 14\n1..29\nok 1 - "), ("junit", "<?xml version"),
    ])
    func `reports have formats for programs`(format: String, start: String) async throws {
        let arguments = ["verify", "likes", "--timeout", "60", "--start", Self.likes, "--format", format]
        let outcome = try await Self.gateway.run(arguments)
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix(start), "\(outcome.output.prefix(100))")
    }

    @Test func `the help names the contracts that the gateway carries`() async throws {
        let outcome = try await Self.gateway.run(["verify", "--help"])
        let text = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        // A plugin can be removed with its contract.
        let services = try FileManager.default.subpathsOfDirectory(atPath: Program.repository + "/Services")
        let own = ContractCases.names.filter { name in !services.contains { $0.hasSuffix("/\(name).json") } }
        #expect(text.contains("(\(own.joined(separator: ", ")) and those of our plugins)"))
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal stops the started program`(signal: Int32) async throws {
        try await withTemporaryDirectory { directory in
            // A step would wait for a day.
            let program = try Self.verify("\(Self.likes.dropFirst("exec ".count)) hangs & echo >&9; wait", directory)
            let pipe = try Self.read(directory)
            #expect(await pipe.errors.wait(for: "\n"))
            program.send(signal)
            #expect(await program.ended() == 130)
            // The pipe ends when the killed program has ended.
            #expect(await pipe.ended() == 0)
        }
    }

    @Test func `a signal ends the wait for a program that never listens`() async throws {
        try await withTemporaryDirectory { directory in
            let program = try Self.verify("echo >&9; exec sleep 86400", directory)
            let pipe = try Self.read(directory)
            #expect(await pipe.errors.wait(for: "\n"))
            program.send(SIGINT)
            #expect(await program.ended() == 130)
        }
    }

    /// Starts `gateway verify` with an implementation that has a named pipe as its descriptor 9.
    private static func verify(_ implementation: String, _ directory: String) throws -> RunningProgram {
        guard mkfifo(directory + "/pipe", 0o600) == 0 else { throw POSIXError(.EIO) }
        let start = "exec 9>'\(directory)/pipe'; \(implementation)"
        return try gateway.start(["verify", "likes", "--timeout", "86400", "--start", start], errors: nil)
    }

    /// Reads the named pipe until all processes that have it open for writing have ended.
    private static func read(_ directory: String) throws -> RunningProgram {
        try Program(path: "/bin/sh").start(["-c", "cat '\(directory)/pipe' >&2"], errors: nil)
    }

    @Test func `a plugin is found by its manifest`() async throws {
        try await withTemporaryDirectory { root in
            let manifest = #"{"name":"conformance","socket":"\#(root)/c.sock","contracts":{}}"#
            try FileManager.default.createDirectory(atPath: root + "/plugins.d", withIntermediateDirectories: false)
            try Data(manifest.utf8).write(to: URL(filePath: root + "/plugins.d/conformance.json"))
            try await TestServer.with(ConformanceContract.table, at: SocketPath(root + "/c.sock")) { _ in
                let arguments = ["verify", "protocol", "--root", root, "--plugin", "conformance", "--timeout", "60"]
                let outcome = try await Self.gateway.run(arguments)
                #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
                #expect(outcome.output.contains(" 0 failed, 0 skipped"), "\(outcome.output)")
            }
        }
    }

    @Test(arguments: [
        (["verify", "./likes"], "choose the implementation with one of --socket, --plugin and --start", 64),
        (
            ["verify", "likes", "protocol", "--root", "/nonexistent"],
            "Cannot use the plugin: /nonexistent/plugins.d/likes.json: cannot be opened: No such file", 65
        ),
        (
            ["verify", "protocol", "likes", "--socket", "a"],
            "the cases of likes write test data into the store of the running program; --write allows it", 64
        ),
        (["verify", "protocol", "--socket", "/nonexistent"], "/nonexistent", 69),
        (
            ["verify", "protocol", "likes", "--root", "/nonexistent"],
            "Cannot use the plugin: /nonexistent/plugins.d/likes.json: cannot be opened: No such file", 65
        ),
        (["verify", "protocol"], "gateway: choose a plugin: gateway verify protocol --plugin feed", 64),
        (["verify", "nonsense"], "unknown contract nonsense. Known: comments, ", 64),
        (["verify", "likes", "--socket", "a", "--plugin", "b"], "choose the implementation with one of", 64),
        (["verify", "nonsense", "--socket", "a"], "unknown contract nonsense. Known: comments, ", 64),
        (
            ["verify", "likes", "--plugin", "nonsense", "--root", "/nonexistent"],
            "Cannot use the plugin: /nonexistent/plugins.d/nonsense.json: cannot be opened: No such file", 65
        ),
        (
            ["verify", "likes", "--plugin", "../x", "--root", "/nonexistent"],
            "--plugin ../x: the name of a plugin must be 1 to 32 of a-z", 64
        ),
        (["verify", "likes", "--plugin", "rpc"], "--plugin rpc: the name of a plugin is reserved", 64),
        (["verify", "/nonexistent", "--socket", "a"], "Cannot read folder /nonexistent: no such file", 65),
        (["verify", "likes", "--socket", "a", "--timeout", "0"], "--timeout must be from 0.001", 64),
        (["contract", "diff", "/dev/null", "/dev/null"], "/dev/null: is not JSON", 65),
        (["client", "python", "nonsense"], "unknown contract nonsense. Known: comments, ", 64),
        (["client", "cobol", "likes"], "cobol", 64),
        (
            ["client", "python", "feed-edge"],
            "gateway: feed-edge has cases, but no contract.json. Known: comments, feed, image-data, likes, protocol",
            64
        ),
        (["contract", "diff", "nonsense", "likes"], "unknown contract nonsense. Known: comments, ", 64),
        (
            ["contract", "diff", "/nonexistent/x.json", "likes", "--json"],
            #"{"error":{"kind":"invalid_data","message":"/nonexistent/x.json: cannot be read"#, 65
        ),
        (
            ["verify", "nonsense", "--socket", "a", "--format", "json"],
            #"{"error":{"kind":"invalid_params","message":"unknown contract nonsense. "#, 64
        ),
        (
            ["client", "python", "likes", "-o", "/nonexistent/x"],
            "gateway: Cannot write /nonexistent/x: its folder does not exist; create the folder, or check the path", 74
        ),
        (["client", "python", "likes", "-o", "/dev/full"], "Cannot write /dev/full: no space left", 74),
    ])
    func `a mistake has one clear message`(arguments: [String], message: String, status: Int32) async throws {
        let outcome = try await Self.gateway.run(arguments)
        #expect(outcome.status == status)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test func `an instance that is not there is one error, not one for each case`() async throws {
        let outcome = try await Self.gateway.run([
            "verify", "likes", "protocol", "--write", "--socket", "/nonexistent/a.sock",
        ])
        #expect(outcome.status == 69 && outcome.output.isEmpty)
        let reason = "gateway: cannot connect to /nonexistent/a.sock: No such file or directory; start it, "
        #expect(
            outcome.errors.hasPrefix(reason) && outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
    }

    @Test(arguments: [
        (#"{"name":"other","socket":"o.sock","contracts":{}}"#, "must be called other.json, after its name"),
        (#"{"name":"mine","socket":"o.sock","contracts":{},"sockets":1}"#, "sockets"),
        (nil, "is not a file"),
    ])
    func `a plugin is refused for what the gateway refuses in its manifest`(
        manifest: String?, reason: String
    ) async throws {
        try await withTemporaryDirectory { root in
            let file = root + "/plugins.d/mine.json"
            try FileManager.default.createDirectory(atPath: root + "/plugins.d", withIntermediateDirectories: false)
            if let manifest {
                try Data(manifest.utf8).write(to: URL(filePath: file))
            } else {
                // Nothing writes to it.
                try #require(mkfifo(file, 0o600) == 0)
            }
            let outcome = try await Self.gateway.run(["verify", "likes", "--root", root, "--plugin", "mine"])
            #expect(outcome.status == 65)
            #expect(outcome.errors.contains("Cannot use the plugin: \(file):"), "\(outcome.errors)")
            #expect(outcome.errors.contains(reason), "\(outcome.errors)")
        }
    }

    @Test(arguments: [
        (##"{"$ref":"#"}"##, "#: the schema refers to itself for the same value"),
        (##"{"items":{"$ref":"#/$defs/x"}}"##, "#/items: $ref #/$defs/x has no target; add the schema"),
    ])
    func `a contract with a wrong reference is refused with its place`(schema: String, reason: String) async throws {
        try await withTemporaryDirectory { folder in
            let contract = #"{"name":"a","version":1,"methods":[{"name":"a.b","params":{},"result":\#(schema)}]}"#
            let file = folder + "/contract.json"
            try Data(contract.utf8).write(to: URL(filePath: file))
            let text = #"{"about":"a","steps":[{"name":"x","call":"a.b","result":1}]}"#
            try Data(text.utf8).write(to: URL(filePath: folder + "/case.json"))
            for arguments in [["verify", folder, "--socket", "a"], ["contract", "diff", file, file]] {
                let outcome = try await Self.gateway.run(arguments)
                #expect(outcome.status == 65)
                #expect(outcome.errors.contains("\(file): a.b result: \(reason)"), "\(outcome.errors)")
            }
        }
    }

    @Test func `a diff exits with 1 for a breaking change, with 0 for others`() async throws {
        try await withTemporaryDirectory { directory in
            let old = contractFolder("likes/contract.json")
            let (breaking, compatible) = (directory + "/breaking.json", directory + "/compatible.json")
            let text = try String(contentsOfFile: old, encoding: .utf8)
            try text.replacing(#""maxItems": 100"#, with: #""maxItems": 10"#)
                .write(toFile: breaking, atomically: true, encoding: .utf8)
            try text.replacing(#""maxItems": 100"#, with: #""maxItems": 1000"#)
                .write(toFile: compatible, atomically: true, encoding: .utf8)
            let change = "likes.counts params.image_ids: maxItems changes from 100 to"
            let first = try await Self.gateway.run(["contract", "diff", old, breaking])
            #expect(first.status == 1)
            #expect(first.output == "breaks callers  \(change) 10\n")
            let second = try await Self.gateway.run(["contract", "diff", old, compatible])
            #expect(second.status == 0)
            #expect(second.output == "compatible  \(change) 1000\n")
            let third = try await Self.gateway.run(["contract", "diff", "likes", old])
            #expect(third.status == 0)
            #expect(third.output == "no changes\n")
        }
    }

    @Test(arguments: [
        ("protocol", "protocol"), ("$0/contract.json", "$0/contract.json"), ("$0/it's \"x\".json", "likes"),
    ])
    func `a client says which command has written it`(contract: String, name: String) async throws {
        try await withTemporaryDirectory { directory in
            let text = try String(contentsOfFile: contractFolder("likes/contract.json"), encoding: .utf8)
            for file in ["contract.json", "it's \"x\".json"] {
                try text.write(toFile: directory + "/" + file, atomically: true, encoding: .utf8)
            }
            let contract = contract.replacing("$0", with: directory)
            let outcome = try await Self.gateway.run(["client", "python", contract])
            let command = "Written by `gateway client python \(name.replacing("$0", with: directory))`."
            #expect(outcome.status == 0 && outcome.output.contains(command), "\(outcome.output.prefix(300))")
        }
    }

    @Test(arguments: ClientWriter.Language.allCases)
    func `a client is printed, or written to a file`(language: ClientWriter.Language) async throws {
        try await withTemporaryDirectory { directory in
            let arguments = ["client", language.rawValue, "likes"]
            let printed = try await Self.gateway.run(arguments)
            let written = try await Self.gateway.run(arguments + ["-o", directory + "/client"])
            #expect(printed.status == 0 && written.status == 0)
            #expect(printed.output.contains("A client of the contract likes, version 1"))
            #expect(printed.output.contains("Written by `gateway client \(language.rawValue) likes`."))
            #expect(try String(contentsOfFile: directory + "/client", encoding: .utf8) == printed.output)
        }
    }
}
