import Foundation
import RPCTestKit
import Testing

/// `call`, `describe` and the completions, with the real programs.
@Suite(.deployment()) struct CallCommandTests {
    private let deployment = Deployment.ofSuite

    @Test func `call accepts JSON, pairs, a file and standard input`() async throws {
        // Comments of an image that no other test has.
        let (empty, id) = (#"{"items":[],"origin":"store"}"# + "\n", UUID().uuidString)
        let document = #"{"image_id":"\#(id)","limit":1}"#
        let file = deployment.root + "/params.json"
        try Data(document.utf8).write(to: URL(filePath: file))
        for arguments in [
            ["image_id=\(id)", "limit=1"], ["image_id=\(id)", "limit:=1"], [document], ["@" + file],
        ] {
            let outcome = try await deployment.gateway(["call", "comments.list"] + arguments)
            #expect(outcome.output == empty, "\(outcome.errors)")
        }
        #expect(try await deployment.gateway("call", "comments.list", "-", input: " \(document) ").output == empty)
        #expect(try await deployment.gateway("call", "feed.load").status == 0)
        let half = try await deployment.gateway("call", "feed.load", "-", input: "{\"limit\":\n1")
        #expect(
            half.status == 64 && half.errors.hasPrefix("gateway: standard input is not JSON: "), "\(half.errors)")
        #expect(half.errors.contains("at line 2, column 2") && half.errors.split(separator: "\n").count == 1)
    }

    @Test func `a string stays a string, and bytes come from a file`() async throws {
        let id = UUID().uuidString
        let published = try await deployment.gateway(
            "call", "feed.publish", "items[0].id=\(id)", "items[0].image=https://example.org/a.jpg",
            "items[0].location=1")
        #expect(published.output == "{\"count\":1}\n", "\(published.errors)")
        let item = try await deployment.gateway("call", "feed.get", "id=\(id)")
        #expect(item.output.contains(#""location":"1""#))
        let put = try await deployment.gateway(
            "call", "image-data.put", "data=@\(Program.repository)/deploy/sample/mosaic.webp")
        #expect(put.output.contains("urn:sha256:"), "\(put.errors)")
    }

    @Test func `a wrong method, parameter or command suggests the nearest one`() async throws {
        for (arguments, hint) in [
            (["call", "feed.laod"], "Did you mean feed.load?"), (["call", "fed.load"], "Did you mean feed.load?"),
            (["call", "feed.nothing"], "feed has these methods: feed.load, feed.get"),
            (["call", "nobody.at_all"], "gateway describe"),
            (["call", "feed.load", "limt=1"], "Did you mean limit? It takes limit, after_id, before_id."),
            (["call", "feed.load", #"{"limt":1}"#], "Did you mean limit?"),
            (["describe", "feed.laod"], "Did you mean feed.load?"), (["fed"], "did you mean feed?"),
            (["feed", "--limt", "1"], "--limit"),
        ] {
            let outcome = try await deployment.gateway(arguments)
            #expect(outcome.status == 64 && outcome.errors.contains(hint), "\(outcome.errors)")
        }
    }

    @Test func `a stream prints one list after the timeout, or documents`() async throws {
        var (list, seconds) = (Program.Outcome?.none, 1)
        // The limit includes the start of the command, so a slow machine needs a longer one.
        while list == nil || list?.output == "[]\n" {
            list = try await deployment.gateway(
                "call", "feed.watch", "since=", "--timeout", "\(seconds)", "--collect")
            seconds *= 4
        }
        let collected = try #require(list)
        #expect(
            collected.status == 0 && collected.output.hasPrefix("[{") && collected.output.hasSuffix("}]\n"),
            "\(collected.errors)")
        let put = try await deployment.gateway(
            "call", "image-data.put", "data=@\(Program.repository)/deploy/sample/mosaic.webp")
        let url = try #require(put.output.firstMatch(of: /urn:sha256:[0-9a-f]{64}/)).output
        let twice = try await deployment.gateway(
            "call", "image-data.load", "url=\(url)", "strategy=cache_then_load", "--stream")
        #expect(twice.status == 0 && twice.output.contains("base64"), "\(twice.errors)")
    }

    @Test func `describe shows a signature, schemas or a template`() async throws {
        let all = try await deployment.gateway("describe").output
        for method in ["gateway.feed_page", "feed.load", "comments.post", "image-data.put"] {
            #expect(all.contains(method))
        }
        let one = try await deployment.gateway("describe", "feed.load").output
        #expect(one.hasPrefix("feed.load(\n  limit?: integer 1…100"), "\(one)")
        #expect(!one.contains("\"maximum\""))
        let schema = try await deployment.gateway("describe", "feed.load", "--schema").output
        #expect(schema.contains("\"maximum\": 100"))
        let template = try await deployment.gateway("describe", "comments.post", "--template").output
        let items = deployment.root + "/items.json"
        try Data(try await deployment.gateway("describe", "feed.publish", "--template").output.utf8)
            .write(to: URL(filePath: items))
        #expect(try await deployment.gateway("call", "feed.publish", "@" + items).output == "{\"count\":1}\n")
        #expect(template.hasPrefix(#"{"image_id":"00000000-0000-4000-8000-000000000000","#), "\(template)")
        #expect(try await deployment.gateway("describe", "feed", "--template").status == 64)
    }

    @Test func `errors are JSON with --json, and -v reports calls`() async throws {
        let missing = try await deployment.gateway("--json", "call", "feed.laod")
        #expect(missing.status == 64 && missing.output.isEmpty)
        #expect(
            missing.errors.hasPrefix(#"{"error":{"kind":"method_not_found","message":"#)
                && missing.errors.contains(#""hints":["Did you mean feed.load?"]"#), "\(missing.errors)")
        let usage = try await deployment.gateway("feed", "--json", "--limit", "x")
        #expect(
            usage.status == 64 && usage.errors.hasPrefix(#"{"error":{"kind":"invalid_params","#), "\(usage.errors)")
        let verbose = try await deployment.gateway("feed", "-v")
        #expect(
            verbose.errors.contains(/gateway\.feed_page: [\d.]+ ms, origin store, trace id [0-9a-f]{32}\n/),
            "\(verbose.errors)")
    }

    @Test func `completions come from the running gateway, also in bash`() async throws {
        try await Deployment.with { deployment in
            let id = UUID().uuidString
            _ = try await deployment.gateway("publish", "https://example.org/a.jpg", "--unchecked", "--id", id)
            func complete(_ command: String, _ words: String...) async throws -> [String] {
                let line = ["gateway", command] + words
                let outcome = try await Program("gateway").run(
                    [
                        "---completion", command, "--", "positional@\(min(words.count - 1, 1))", "\(line.count - 1)",
                        "\(words.last?.count ?? 0)",
                    ]
                        + line, environment: ["ROOT": deployment.root])
                return outcome.output.split(separator: "\n").map(String.init)
            }
            #expect(try await complete("comments", "") == [id])
            #expect(try await complete("call", "").contains("feed.load"))
            #expect(try await complete("call", "feed.load", "") == ["limit=", "after_id=", "before_id="])
            // bash splits words at the equals sign.
            #expect(try await complete("call", "image-data.load", "strategy", "=", "c").contains("cache_then_load"))
            #expect(try await complete("call", "image-data.load", "strategy=c").contains("strategy=cache_then_load"))
            // Keys that are given already are not offered, but elements of lists are.
            #expect(try await complete("call", "feed.load", "limit=3", "") == ["after_id=", "before_id="])
            #expect(try await complete("call", "feed.load", "limit", "=", "3", "") == ["after_id=", "before_id="])
            #expect(try await complete("call", "feed.remove", "ids=\(id)", "") == ["ids="])
            #expect(try await complete("call", "feed.publish", "") == ["items[0]."])
            #expect(try await complete("call", "feed.publish", "items[0].").contains("items[0].image="))
            #expect(
                try await complete("call", "feed.publish", "items[0].id=1", "items[0].i").contains("items[0].id=")
                    == false)
            for key in ["feed.get id", "comments.list image_id", "feed.load after_id", "feed.remove ids"] {
                let (method, key) = (key.prefix { $0 != " " }, key.drop { $0 != " " }.dropFirst())
                #expect(try await complete("call", String(method), "\(key)=") == ["\(key)=\(id)"])
                #expect(try await complete("call", String(method), String(key), "=", "") == [id])
            }
            for (method, key) in [
                ("comments.remove", "id"), ("comments.list", "after_id"), ("feed.publish", "items[0].id"),
            ] {
                #expect(try await complete("call", method, "\(key)=") == [])
            }
            #expect(try await complete("describe", "").contains("image-data"))
            #expect(try await complete("health", "").contains("comments"))

            func bash(_ line: String) async throws -> String {
                let words = line.split(separator: " ", omittingEmptySubsequences: false)
                let script = """
                    source <(gateway --generate-completion-script bash)
                    COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " ")))
                    COMP_CWORD=\(words.count - 1) COMP_LINE='\(line)' COMP_POINT=\(line.count)
                    _gateway gateway "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
                    echo "${COMPREPLY[@]}"
                    """
                return try await Program(path: "/bin/bash").run(
                    ["-c", script],
                    environment: ["PATH": Program.directory + ":/usr/bin:/bin", "ROOT": deployment.root]
                ).output
            }
            #expect(try await bash("gateway des") == "describe\n")
            #expect(try await bash("gateway call feed.lo") == "feed.load\n")
            #expect(try await bash("gateway call feed.load li") == "limit=\n")
            #expect(try await bash("gateway comments ") == id + "\n")
        }
    }
}
