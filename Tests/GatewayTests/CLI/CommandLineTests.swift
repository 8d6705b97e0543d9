import Foundation
import RPCTestKit
import Testing

/// The command line with the four real programs: output for people and for scripts.
@Suite(.deployment(imageData: ["--allow-private-upstream", "127.0.0.1:1"])) struct CommandLineTests {
    private let deployment = Deployment.ofSuite

    @Test func `an empty feed says so, and a published image appears on top`() async throws {
        try await Deployment.with { deployment in
            let empty = try await deployment.gateway("feed")
            #expect(empty.status == 0)
            #expect(empty.output == "My Feed\nNo images yet\n")

            let id = UUID().uuidString
            let published = try await deployment.gateway(
                "publish", "https://example.org/a.jpg", "--unchecked", "--id", id, "--description", "A tower",
                "--location", "Porto")
            #expect(published.output == id + "\n")
            let again = try await deployment.gateway(
                "publish", "https://example.org/a.jpg", "--unchecked", "--id", id, "--description", "A tower",
                "--location", "Porto")
            #expect(again.status == 0 && again.output.contains("already exists"))
            let told = try await deployment.gateway(
                "publish", "https://example.org/a.jpg", "--unchecked", "--id", id, "--description", "A tower",
                "--location", "Porto",
                "--json")
            #expect(told.output.hasPrefix(#"{"count":0,"item":{"id":"\#(id)","description":"A tower""#))
            let other = try await deployment.gateway("publish", "https://example.org/b.jpg", "--unchecked", "--id", id)
            #expect(other.status == 73 && other.errors.contains(id))

            let feed = try await deployment.gateway("feed", environment: ["LC_ALL": "pt_BR.UTF-8"])
            #expect(feed.output.hasPrefix("Meu Feed\n"))
            #expect(feed.output.contains(id) && feed.output.contains("A tower") && feed.output.contains("Porto"))

            let removed = try await deployment.gateway("remove", id)
            #expect(removed.output == "1 removed\n" && removed.status == 0)
        }
    }

    /// `UpstreamTests` tests which URLs are refused.
    @Test(arguments: [
        ("http://10.0.0.1/a.jpg", "Nothing was published: the host has an address that is not allowed.\n"),
        ("http://[::1]/a.jpg", "--allow-private-upstream '[::1]:80'\n"),
        ("https://example.org:22/a.jpg", "Nothing was published: port 22 is not allowed (only 80 and 443 are).\n"),
        ("https://example.org:22/a.jpg", "--allow-private-upstream example.org:22\n"),
        ("https://user:word@example.org/a.jpg", "user name or password"),
    ])
    func `a URL that is never fetched is rejected before publishing`(url: String, part: String) async throws {
        let id = UUID().uuidString
        let refused = try await deployment.gateway("publish", url, "--id", id)
        #expect(refused.status == 77 && refused.output.isEmpty)
        #expect(
            refused.errors.hasPrefix("gateway: Nothing was published: ") && refused.errors.contains(part),
            "\(refused.errors)")
        #expect(try await deployment.gateway("call", "feed.get", "id=\(id)").status == 66)
    }

    @Test func `a URL that cannot be fetched is not published, unless that is wanted`() async throws {
        for url in ["http://127.0.0.1:1/a.jpg", "https://no-such-host.invalid/a.jpg"] {
            let id = UUID().uuidString
            let refused = try await deployment.gateway("publish", url, "--id", id)
            #expect(refused.status == 69 && refused.errors.contains("--unchecked"), "\(refused.errors)")
            #expect(try await deployment.gateway("call", "feed.get", "id=\(id)").status == 66)
            let published = try await deployment.gateway("publish", url, "--id", id, "--unchecked")
            #expect(published.status == 0 && published.errors.isEmpty, "\(published.errors)")
        }
        let name = try await deployment.gateway("publish", "urn:x:y")
        #expect(name.status == 0 && name.errors.isEmpty, "\(name.errors)")
    }

    @Test func `an image that its origin server refuses is invalid data, and the error has the status`() async throws {
        try await OriginServer.with { _ in
            [.response(403)]
        } _: { origin in
            try await Deployment.with(imageData: ["--allow-private-upstream", origin.authority]) { deployment in
                let id = UUID().uuidString
                #expect(
                    try await deployment.gateway("publish", origin.url + "/a.jpg", "--unchecked", "--id", id).status
                        == 0)
                let refused = try await deployment.gateway("image", id, "-o", deployment.root + "/a.jpg")
                #expect(refused.status == 65, "\(refused.errors)")
                #expect(refused.errors.contains("The origin server answered with status 403"), "\(refused.errors)")
            }
        }
    }

    @Test func `with --no-fetch a URL is published with a note`() async throws {
        try await Deployment.with(imageData: ["--no-fetch"]) { deployment in
            let published = try await deployment.gateway("publish", "https://example.org/a.jpg", "--unchecked")
            #expect(
                published.status == 0 && published.errors.hasPrefix("Note: https://example.org/a.jpg is not fetched"))
            try await deployment.program("image-data").stop()
            let unknown = try await deployment.gateway("publish", "https://example.org/b.jpg", "--unchecked")
            #expect(unknown.status == 0 && unknown.errors.hasPrefix("Note: cannot check"), "\(unknown.errors)")
        }
    }

    @Test func `--all prints one document per line and no item twice`() async throws {
        try await Deployment.with { deployment in
            let ids = (0..<25).map { _ in UUID().uuidString }
            for id in ids.reversed() {
                _ = try await deployment.gateway("publish", "https://example.org/\(id).jpg", "--unchecked", "--id", id)
            }
            let all = try await deployment.gateway("feed", "--all", "--limit", "10", "--json")
            let pages = try all.output.split(separator: "\n").map { try FeedJSON($0) }
            #expect(pages.map(\.items.count) == [10, 10, 5])
            #expect(pages.flatMap(\.items).map(\.id) == ids)

            let after = try await deployment.gateway("feed", "--limit", "2", "--after", ids[3], "--json")
            #expect(try FeedJSON(after.output).items.map(\.id) == [ids[4], ids[5]])
            let before = try await deployment.gateway("feed", "--limit", "2", "--before", ids[3], "--json")
            #expect(try FeedJSON(before.output).items.map(\.id) == [ids[1], ids[2]])
        }
    }

    @Test func `comments are shown oldest first, and only for images of the feed`() async throws {
        let id = UUID().uuidString
        _ = try await deployment.gateway("publish", "https://example.org/a.jpg", "--unchecked", "--id", id)
        #expect(try await deployment.gateway("comments", id).output == "Comments\nNo comments yet\n")

        for text in ["alpha", "omega"] {
            let posted = try await deployment.gateway("comment", id, text, "--username", "ana")
            #expect(posted.status == 0)
        }
        let comments = try await deployment.gateway("comments", id).output
        let first = try #require(comments.range(of: "alpha"))
        let second = try #require(comments.range(of: "omega"))
        #expect(first.lowerBound < second.lowerBound && comments.contains("ana"))

        let one = try await deployment.gateway("comments", id, "--limit", "1").output
        #expect(one.contains("gateway comments \(id)") && one.contains(" --limit 1 --after "))

        let unknown = UUID().uuidString
        #expect(try await deployment.gateway("comments", unknown).status == 66)
        #expect(try await deployment.gateway("comment", unknown, "hello").status == 66)
        let long = try await deployment.gateway("comment", id, String(repeating: "a", count: 2_001))
        #expect(long.status == 64 && long.errors.contains("gateway: the text: "))
    }

    @Test func `removing an image that is not in the feed exits 66, and with --force 0`() async throws {
        let (id, unknown) = (UUID().uuidString, UUID().uuidString)
        _ = try await deployment.gateway("publish", "https://example.org/a.jpg", "--unchecked", "--id", id)
        let removed = try await deployment.gateway("remove", id, unknown)
        #expect(removed.status == 66 && removed.output == "1 removed\n")
        #expect(removed.errors == "gateway: There is no image \(unknown) in the feed\n")
        let none = try await deployment.gateway("remove", unknown)
        #expect(none.status == 66 && none.output.isEmpty && none.errors == removed.errors)
        let forced = try await deployment.gateway("remove", id, unknown, "--force")
        #expect(forced.status == 0 && forced.output == "0 removed\n" && forced.errors.isEmpty)
        let short = try await deployment.gateway("remove", "0badcafe", "--force")
        #expect(short.status == 0 && short.output == "0 removed\n", "\(short)")
        #expect(try await deployment.gateway("remove", "0badcafe", "--force", "--json").output == "{\"count\":0}\n")
    }

    @Test(arguments: [
        (["comment", "abcd", "y", "--usr", "z"], "Unknown option '--usr'. Did you mean '--username'?"),
        (["feed", "--limt", "3"], "Unknown option '--limt'. Did you mean '--limit'?"),
        (["feed", "--nonsense"], "Unknown option '--nonsense'\n"),
    ])
    func `the nearest option of the command is suggested`(arguments: [String], message: String) async throws {
        let outcome = try await deployment.gateway(arguments)
        #expect(outcome.status == 64 && outcome.errors.hasPrefix("gateway: \(message)"), "\(outcome.errors)")
    }

    @Test func `an unknown image is named, in the reader's language`() async throws {
        let id = UUID().uuidString
        for arguments in [["comments", id], ["image", id, "--json"], ["comment", id, "hola"], ["remove", id]] {
            let outcome = try await deployment.gateway(arguments + ["--locale", "es"])
            #expect(outcome.status == 66 && outcome.errors.contains("No hay ninguna imagen \(id) en el feed"))
            #expect(!outcome.errors.contains("Not found"), "\(outcome.errors)")
        }
    }

    @Test func `a comment may come from standard input`() async throws {
        let id = UUID().uuidString
        _ = try await deployment.gateway("publish", "https://example.org/a.jpg", "--unchecked", "--id", id)
        let posted = try await deployment.gateway("comment", id, "-", input: "from a file\n")
        #expect(posted.status == 0, "\(posted.errors)")
        #expect(try await deployment.gateway("comments", id, "--json").output.contains(#""message":"from a file""#))
        let empty = try await deployment.gateway("comment", id, "-")
        #expect(empty.status == 64 && empty.errors.hasPrefix("gateway: the text: "), "\(empty.errors)")
        let text = String(repeating: "a", count: 100_000)
        let whole = try await deployment.gateway("comment", id, "-", input: text)
        #expect(whole.errors.hasPrefix("gateway: the text: "), "\(whole.errors)")
        let larger = try await deployment.gateway("comment", id, "-", input: text + "a")
        #expect(larger.errors.contains("more than 100000 bytes, the limit is 100000"), "\(larger.errors)")
    }

    @Test(arguments: [
        ["publish", "/nowhere/a.jpg"], ["import", "/nowhere"], ["call", "feed.load", "@/nowhere/a.json"],
    ])
    func `a missing file is one line with the path and the remedy`(arguments: [String]) async throws {
        let outcome = try await deployment.gateway(arguments)
        #expect(outcome.status == 66 && outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
        #expect(
            outcome.errors.contains(
                /^gateway: cannot read (file|folder) \/nowhere[^:]*: it does not exist; check the path\n/),
            "\(outcome.errors)")
    }

    @Test func `an error that a service has logged is printed with its trace id to standard error`() async throws {
        try await Deployment.with { deployment in
            let unknown = UUID().uuidString
            for arguments in [
                ["comments", unknown], ["call", "feed.get", "id=\(unknown)"], ["image", unknown, "--json"],
            ] {
                let outcome = try await deployment.gateway(arguments)
                #expect(outcome.status == 66 && outcome.output.isEmpty)
                // This error is in no log, so its trace id is not printed.
                #expect(!outcome.errors.contains("trace id"), "\(outcome.errors)")
            }
            let own = try await deployment.gateway("call", "nobody.load")
            #expect(own.status == 64 && !own.errors.contains("trace id"))

            let (feed, gateway) = (try deployment.program("feed"), try deployment.program("gateway"))
            feed.send(SIGKILL)
            _ = await feed.ended()
            for arguments in [["feed"], ["call", "feed.load"]] {
                let down = try await deployment.gateway(arguments)
                #expect(down.status == 69 && down.output.isEmpty)
                let id = String(
                    try #require(down.errors.firstMatch(of: /trace id ([0-9a-f]{32})\n/), "\(down.errors)").output.1)
                #expect(await gateway.errors.wait(for: "trace_id=\(id) "))
            }
            let greek = try await deployment.gateway("feed", "--locale", "el")
            #expect(greek.errors.contains("Αναζητήστε το trace id"), "\(greek.errors)")
        }
    }

    @Test func `headings and hints are in the language of --locale`() async throws {
        let id = UUID().uuidString
        for url in ["https://example.org/a.jpg", "https://example.org/b.jpg"] {
            let id = url.contains("a.jpg") ? id : UUID().uuidString
            _ = try await deployment.gateway("publish", url, "--unchecked", "--id", id)
        }
        _ = try await deployment.gateway("comment", id, "alpha")
        let feed = try await deployment.gateway("feed", "--locale", "pt-BR")
        #expect(feed.output.contains("LOCAL") && feed.output.contains("DESCRIÇÃO"), "\(feed.output)")
        let comments = try await deployment.gateway("comments", id, "--locale", "es")
        #expect(comments.output.contains("QUIÉN") && comments.output.contains("MENSAJE"), "\(comments.output)")
        let refused = try await deployment.gateway("publish", "http://10.0.0.1/a.jpg", "--locale", "es")
        #expect(refused.errors.contains("Para permitir este servidor: deploy/up"), "\(refused.errors)")
        #expect(
            refused.errors.hasPrefix("gateway: No se publicó nada: el servidor, el puerto o la forma de http://10"))
        let unreached = try await Program("gateway").run(["feed", "--root", "/nonexistent", "--locale", "pt-BR"])
        #expect(unreached.errors.contains("Não há nenhuma instalação em /nonexistent"), "\(unreached.errors)")
    }

    @Test func `the beginning of an id is enough if it is the only one`() async throws {
        let ids = ["AB10C000-0000-4000-8000-000000000001", "AB10C000-0000-4000-8000-000000000002"]
        for id in ids {
            _ = try await deployment.gateway("publish", "https://example.org/a.jpg", "--unchecked", "--id", id)
        }
        _ = try await deployment.gateway(
            "comment", "ab10c000-0000-4000-8000-000000000001", "--username", "ana", "alpha")
        let comments = try await deployment.gateway("comments", ids[0].lowercased(), "--json")
        #expect(comments.output.contains("alpha"))
        for arguments in [
            ["comments", "AB10"], ["image", "AB10"], ["comment", "AB10", "x"], ["remove", "--force", "AB10"],
            ["feed", "--after", "AB10"],
        ] {
            let several = try await deployment.gateway(arguments)
            #expect(several.status == 64 && ids.allSatisfy(several.errors.contains), "\(several.errors)")
            let none = try await deployment.gateway(arguments.map { $0 == "AB10" ? "AB11" : $0 })
            #expect(none.status == (arguments[0] == "remove" ? 0 : 66), "\(none.errors)")
            let short = try await deployment.gateway(arguments.map { $0 == "AB10" ? "AB1" : $0 })
            #expect(short.status == 64, "\(short.errors)")
        }
        #expect(try await deployment.gateway("remove", ids[1]).status == 0)
        #expect(try await deployment.gateway("comments", "ab10", "--json").output.contains("alpha"))
        #expect(try await deployment.gateway("remove", "ab10-c").status == 0)
        #expect(try await deployment.gateway("remove", "ab10").status == 66)
    }

    @Test func `an unknown --locale means English, and says so once`() async throws {
        let unknown = try await deployment.gateway("feed", "--locale", "fr")
        #expect(unknown.status == 0 && unknown.output.hasPrefix("My Feed\n"))
        #expect(
            unknown.errors
                == "gateway: unknown --locale fr; texts are in English. Available: en, pt-BR, el, es\n")
        let environment = try await deployment.gateway("feed", environment: ["LC_ALL": "fr_FR.UTF-8"])
        #expect(environment.status == 0 && environment.errors.isEmpty)
    }

    @Test(arguments: [
        (["feed", "--limit", "0"], "gateway: --limit: "), (["feed", "--limit", "101"], "gateway: --limit: "),
        (["feed", "--limit", "-1"], "gateway: --limit: "), (["feed", "--limit", "x"], "limit"),
        (["feed", "--after", "x"], "must be a UUID"), (["comments", "nonsense"], "must be a UUID"),
        (["remove", "nonsense"], "must be a UUID"), (["publish", "a.jpg", "--id", "x"], "must be a UUID"),
        (["comments", "nonsense"], "image-id"), (["call", "feed.load", "limit"], "limit"),
        (["call", "feed.load", "{"], "JSON"), (["call", "feed.load", "unknown=1"], "params.unknown"),
        (["call", "feed.watch", "from=1"], "params.from"),
        (["call", "feed.nothing"], "feed.nothing"), (["call", "nobody.load"], "nobody.load"),
        (["health", "nobody"], "nobody"), (["describe", "feed.nothing"], "feed.nothing"),
        (["feed", "--timeout", "0"], "--timeout"), (["publish", "ftp://example.org/a.jpg"], "http:"),
        (["publish", "urn:sha256:0000"], "64 lower-case hexadecimal digits"),
        (["publish", "http://example.org:99999/x"], "a port from 1 to 65535"),
        (["image", "00000000-0000-4000-8000-000000000001", "-o", "a.jpg", "--json"], "-o FILE"),
    ])
    func `invalid usage exits 64 and names the invalid part`(_ arguments: [String], _ name: String) async throws {
        let outcome = try await deployment.gateway(arguments)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains(name))
        #expect(outcome.output.isEmpty)
        // A usage line is that of the subcommand.
        #expect(!outcome.errors.contains("Usage: gateway <subcommand>"), "\(outcome.errors)")
        if outcome.errors.contains("Usage: ") {
            #expect(outcome.errors.contains("Usage: gateway \(arguments[0]) "), "\(outcome.errors)")
        }
    }

    @Test(arguments: [["publish", "ftp://example.org/a.jpg"], ["image", "nonsense"]])
    func `an invalid value that is found at run time is one line, with the help to read`(
        _ arguments: [String]
    ) async throws {
        let outcome = try await deployment.gateway(arguments)
        #expect(outcome.status == 64 && outcome.errors.hasPrefix("gateway: "), "\(outcome.errors)")
        #expect(outcome.errors.hasSuffix("See 'gateway \(arguments[0]) --help'.\n"), "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").count == 2 && !outcome.errors.contains("Usage"))
    }

    @Test func `both cursors together are rejected`() async throws {
        let id = UUID().uuidString
        let outcome = try await deployment.gateway(["call", "feed.load", "after_id=\(id)", "before_id=\(id)"])
        #expect(outcome.status == 64 && outcome.errors.contains("before_id"))
    }

    @Test func `health exits 0 serving, 1 degraded, 69 down`() async throws {
        try await Deployment.with { deployment in
            #expect(try await deployment.gateway("health").status == 0)
            try await deployment.program("comments").stop()
            let degraded = try await deployment.gateway("health")
            #expect(degraded.status == 1 && degraded.output.contains("comments.sock"))
            // At first the gateway tries to reach it again.
            try await eventually { try await deployment.gateway("plugins").output.contains(/comments +down/) }
            #expect(try await deployment.gateway("plugins").output.contains(/feed +ready/))
            // The other services work.
            #expect(try await deployment.gateway("feed").status == 0)

            try await deployment.program("gateway").stop()
            let down = try await deployment.gateway("health")
            #expect(down.status == 69 && down.errors.contains("deploy/up"))
        }
    }

    @Test func `a feed can be used while an optional plugin fails, and not without a required service`() async throws {
        try await Deployment.with { deployment in
            let manifest = #"{"name":"likes","socket":"likes.sock","contracts":{},"required":false}"#
            try Data(manifest.utf8).write(to: URL(filePath: deployment.root + "/plugins.d/likes.json"))
            try await eventually { try await deployment.gateway("plugins").output.contains("likes") }
            #expect(try await deployment.gateway("health", "--usable", "--wait", "600").status == 0)
            try await deployment.program("comments").stop()
            try await eventually { try await deployment.gateway("health", "--usable").status == 1 }
            #expect(try await deployment.gateway("health", "feed", "--usable").status == 64)
        }
    }

    @Test func `an import only into an empty feed happens once`() async throws {
        try await Deployment.with { deployment in
            let sample = Program.repository + "/deploy/sample"
            let first = try await deployment.gateway("import", sample, "--if-empty")
            #expect(first.status == 0 && first.output.contains("published"), "\(first.errors)")
            let second = try await deployment.gateway("import", sample, "--if-empty")
            #expect(second.status == 0 && second.output.isEmpty, "\(second.output)")
        }
    }

    @Test func `an image is never written to a terminal that cannot show it`() async throws {
        let gateway = Program("gateway").path
        // script(1) gives the command a terminal.
        let outcome = try await Program(path: "/usr/bin/script").run([
            "-qec", "TERM=dumb \(gateway) image \(UUID().uuidString) --root \(deployment.root)", "/dev/null",
        ])
        #expect(outcome.status == 64)
        #expect(outcome.output.contains("-o FILE"))
    }

    @Test func `an image that cannot be written is an output error`() async throws {
        let published = try await deployment.gateway("publish", Program.repository + "/deploy/sample/mosaic.webp")
        let id = published.output.trimmingCharacters(in: .newlines)
        let outcome = try await deployment.gateway("image", id, "-o", deployment.root + "/nowhere/mosaic.webp")
        #expect(outcome.status == 74 && outcome.errors.contains("/nowhere/mosaic.webp: its folder does not exist"))
    }

    @Test func `a watch of the statistics refreshes until its reader leaves`() async throws {
        let gateway = Program("gateway").path
        let outcome = try await Program(path: "/bin/sh").run([
            "-c", "\(gateway) stats --watch --json --root \(deployment.root) | head -n 2",
        ])
        #expect(outcome.output.split(separator: "\n").count == 2 && outcome.errors.isEmpty, "\(outcome.errors)")
    }

    @Test func `a closed pipe ends the command quietly`() async throws {
        let gateway = Program("gateway").path
        let outcome = try await Program(path: "/bin/sh").run([
            "-c", "{ \(gateway) describe --root \(deployment.root); echo $? >&2; } | true",
        ])
        #expect(outcome.errors == "141\n" || outcome.errors == "0\n")
    }
}

/// The members of a page that the tests read.
struct FeedJSON: Decodable {
    struct Item: Decodable {
        let id: String
        let image: String
    }

    let items: [Item]

    init(_ text: some StringProtocol) throws {
        self = try JSONDecoder().decode(FeedJSON.self, from: Data(text.utf8))
    }
}
