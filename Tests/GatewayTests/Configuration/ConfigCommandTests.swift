import Foundation
import RPCTestKit
import Testing

/// `gateway config` with the real programs.
struct ConfigCommandTests {
    private struct Directory {
        let root: String

        var text: String? { try? String(contentsOfFile: root + "/config.json", encoding: .utf8) }

        func write(_ text: String, to file: String) throws {
            let url = URL(filePath: "\(root)/\(file)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }

        func run(_ arguments: String...) async throws -> Program.Outcome {
            try await Program("gateway").run(["config"] + arguments + ["--root", root])
        }
    }

    private func inDirectory(_ body: (Directory) async throws -> Void) async throws {
        try await withTemporaryDirectory { try await body(Directory(root: $0)) }
    }

    @Test func `settings are set, shown and removed`() async throws {
        try await inDirectory { directory in
            #expect(try await directory.run("show").output == "{}\n")
            for words in [
                ["set", "gateway.http", "127.0.0.1:9090"], ["set", "image-data.limit.connections", "500"],
                ["set", "image-data.no-fetch", "true"], ["set", "site.title", "2024"],
                ["set", "services.deny-upstream", "203.0.113.0/24", "198.51.100.0/24"],
            ] {
                let outcome = try await Program("gateway").run(["config"] + words + ["--root", directory.root])
                #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(words): \(outcome.errors)")
            }
            #expect(
                try await directory.run("show").output == #"{"gateway":{"http":"127.0.0.1:9090"},"#
                    + #""image-data":{"limit":{"connections":500},"no-fetch":true},"site":{"title":"2024"},"#
                    + #""services":{"deny-upstream":["203.0.113.0/24","198.51.100.0/24"]}}"# + "\n")
            #expect(try await directory.run("show", "gateway.http").output == "\"127.0.0.1:9090\"\n")
            #expect(try await directory.run("show", "gateway.public-url").output == "null\n")
            #expect(try await directory.run("unset", "image-data.limit.connections", "site.title").status == 0)
            #expect(try await directory.run("show", "image-data").output == "{\"no-fetch\":true}\n")
            #expect(try await directory.run("show", "site").output == "null\n")
            #expect(try await directory.run("check").status == 0)
        }
    }

    @Test(arguments: [
        (["set", "image-data.hot-byte", "1"], "image-data.hot-byte: Unknown option"),
        (["set", "services.log-level", "loud"], "services.log-level: The value 'loud'"),
        (["set", "feeed.log-level", "debug"], "feeed: no program has this name; did you mean feed?"),
        (["set", "site.titel", "a"], "site.titel"), (["set", "gateway.http", "x"], "gateway.http"),
        (["set", "services", "1"], "services: must be an object"),
    ])
    func `a setting that a program refuses changes nothing`(words: [String], reason: String) async throws {
        try await inDirectory { directory in
            try directory.write(#"{"gateway":{"http":"off"}}"#, to: "config.json")
            let outcome = try await Program("gateway").run(["config"] + words + ["--root", directory.root])
            #expect(outcome.status == 78 && outcome.errors.contains(reason), "\(outcome.errors)")
            #expect(outcome.errors.contains("\(directory.root)/config.json:"), "\(outcome.errors)")
            #expect(directory.text == #"{"gateway":{"http":"off"}}"#)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.root) == ["config.json"])
        }
    }

    @Test(arguments: [1, 4]) func `changes at the same time are all kept, and a link to the file stays`(
        count: Int
    ) async throws {
        try await inDirectory { directory in
            try directory.write("{}", to: "elsewhere/settings.json")
            try FileManager.default.createSymbolicLink(
                atPath: directory.root + "/config.json", withDestinationPath: "elsewhere/settings.json")
            try await withThrowingTaskGroup(of: Int32.self) { group in
                for number in 1...count {
                    group.addTask {
                        try await directory.run("set", "image-data.limit.connections", "\(number)").status
                    }
                    group.addTask { try await directory.run("set", "feed.limit.connections", "\(number)").status }
                }
                for try await status in group { #expect(status == 0) }
            }
            let text = try String(contentsOfFile: directory.root + "/elsewhere/settings.json", encoding: .utf8)
            #expect(text.contains("image-data") && text.contains("feed"), "\(text)")
            let files = try FileManager.default.contentsOfDirectory(atPath: directory.root + "/elsewhere")
            #expect(files == ["settings.json"])
            let link = try FileManager.default.destinationOfSymbolicLink(atPath: directory.root + "/config.json")
            #expect(link == "elsewhere/settings.json")
        }
    }

    @Test func `several changes are made at once, and the values that they replace are named`() async throws {
        try await inDirectory { directory in
            let before =
                #"{"gateway":{"http":"127.0.0.1:9091"},"services":{"upstream":"http://127.0.0.1:9090","pin":"\#(pin)"}}"#
            try directory.write(before, to: "config.json")
            // An edge takes over the port of its upstream. Each of these changes alone would be refused.
            let changes = ["gateway.http=127.0.0.1:9090", "services.upstream=http://127.0.0.1:9091", "services.pin="]
            for (copy, isChanged) in [(["--copy", directory.root + "/copy"], false), ([], true)] {
                let outcome = try await Program("gateway").run(
                    ["config", "apply", "--root", directory.root] + copy + changes)
                #expect(outcome.status == 0, "\(outcome.errors)")
                let news = """
                    gateway.http was: 127.0.0.1:9091
                    services.upstream was: http://127.0.0.1:9090
                    services.pin was: \(pin)

                    """
                #expect(outcome.output == (isChanged ? news : ""))
                #expect((directory.text == before) != isChanged)
            }
            let shown = try await directory.run("show").output
            let after = #"{"gateway":{"http":"127.0.0.1:9090"},"services":{"upstream":"http://127.0.0.1:9091"}}"#
            #expect(shown == after + "\n")
            for argument in ["gateway.http", "=1", "a..b=1"] {
                #expect(try await directory.run("apply", argument).status == 64, "\(argument)")
            }
            let several = ["services.deny-upstream=203.0.113.0/24", "services.deny-upstream=198.51.100.0/24"]
            #expect(try await directory.run("apply", several[0], several[1]).status == 0)
            let denied = try await directory.run("show", "services.deny-upstream").output
            #expect(denied == #"["203.0.113.0/24","198.51.100.0/24"]"# + "\n")
        }
    }

    @Test func `the file sets options of a service, and the command line takes precedence`() async throws {
        try await inDirectory { directory in
            try directory.write(
                #"{"services":{"limit":{"connections":3}},"feed":{"limit":{"frame_bytes":5000}}}"#, to: "config.json")
            for (arguments, connections) in [([], 3), (["--limit", "connections=4"], 4)] {
                try await RunningService.with("feed", root: directory.root, arguments: arguments) { _ in
                    let hello = try await WirePeer.connect(to: .init(directory.root + "/run/feed.sock")).exchange(
                        #"{"jsonrpc":"2.0","id":1,"method":"rpc.hello","params":{"protocols":[1]}}"#)
                    #expect(hello?.contains(#""frame_bytes":5000,"#) == true)
                    #expect(hello?.contains(#""connections":\#(connections),"#) == true)
                }
            }
        }
    }

    @Test(
        arguments: [
            ("feed-service", []), ("comments-service", []), ("image-data-service", []), ("search-service", []),
            ("gateway", ["serve"]),
        ] as [(String, [String])])
    func `a program does not start with an invalid file`(program: String, command: [String]) async throws {
        try await inDirectory { directory in
            try directory.write("{\n", to: "config.json")
            let outcome = try await Program(program).run(command + ["--root", directory.root])
            #expect(
                outcome.status == 78 && outcome.errors.contains("\(directory.root)/config.json:"), "\(outcome.errors)")
            // The documentation stays readable.
            #expect(try await Program(program).run(command + ["--root", directory.root, "--help"]).status == 0)
        }
    }

    private let pin = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
}
