import Foundation
import JSON
import RPCTestKit
import Testing

@testable import gateway

private let searchManifest =
    #"{"name":"search","socket":"search.sock","contracts":{"search":1},"timeout_ms":60000}"#

private let chick = "5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D01"
private let tram = "5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D02"

/// A deployment with two images, which search has indexed.
private func withSearch(_ body: (Deployment, RunningProgram, String) async throws -> Void) async throws {
    try await Deployment.with(imageData: ["--no-fetch"], manifests: ["search": searchManifest]) { deployment in
        let search = try Program("search-service").start(["--root", deployment.root], errors: nil)
        defer { search.send(SIGKILL) }
        #expect(await search.errors.wait(for: "serving on"), "\(search.errors.text)")
        for arguments in [
            [tram, "--description", "A tram in <Lisbon>", "--location", "Lisbon, Portugal", "--tag", "tram"],
            [chick, "--description", "A yellow chick", "--tag", "bird", "--tag", "golden hour"],
        ] {
            let published = try await run(
                deployment, ["publish", "https://example.org/a.jpg", "--unchecked", "--id"] + arguments)
            #expect(published.status == 0, "\(published.errors)")
        }
        let comment = try await run(
            deployment, ["comment", chick, "Que linda galinha!", "--username", "ana"])
        #expect(comment.status == 0, "\(comment.errors)")
        try await eventually {
            let byComment = try await run(deployment, ["search", "--json", "galinha"])
            let byTitle = try await run(deployment, ["search", "--json", "tram"])
            return byComment.output.contains(chick) && byTitle.output.contains(tram)
        }
        try await body(deployment, search, "http://127.0.0.1:\(try deployment.httpPort())")
    }
}

private func withShared(_ body: @Sendable (Deployment) async throws -> Void) async throws {
    try await withSearch { deployment, _, _ in try await body(deployment) }
}

private func run(_ deployment: Deployment, _ arguments: [String]) async throws -> Program.Outcome {
    try await Program("gateway").run(arguments, environment: ["ROOT": deployment.root, "LC_ALL": "C.UTF-8"])
}

private func curl(_ url: String, _ options: String...) async throws -> String {
    try await Program(path: "/usr/bin/env").run(["curl", "-s", "-g"] + options + [url]).output
}

/// Search behind a real gateway, as readers use it.
@Suite(.deployment(with: withShared)) struct SearchDeploymentTests {
    private let deployment = Deployment.ofSuite

    @Test("the command finds by words, tags and comments, and says when there is nothing")
    func command() async throws {
        for (arguments, id) in [
            (["chi"], chick), (["galinha"], chick), (["--tag", "BIRD"], chick),
            (["tag:\"golden hour\""], chick), (["from:ana"], chick), (["place:lisbon"], tram),
            (["--", "a", "-chick"], tram),
        ] {
            let found = try await run(deployment, ["search"] + arguments)
            #expect(found.status == 0, "\(found.errors)")
            #expect(found.output.split(separator: "\n").count == 2 && found.output.contains(id), "\(found.output)")
        }
        let none = try await run(deployment, ["search", "nonsense", "--locale", "pt-BR"])
        #expect(none.status == 0 && none.output.contains("Nada encontrado"), "\(none.output)\(none.errors)")
        let marked = try await run(deployment, ["search", "chick", "--color", "always"])
        #expect(marked.output.contains("\u{1B}[1m\u{1B}[33mchick"), "\(marked.output)")
        let refused = try await run(deployment, ["search", "--after", "1.2.3"])
        #expect(refused.status == 64 && refused.errors.contains("--after"), "\(refused.errors)")
        let page = try await run(deployment, ["search", "a", "--limit", "1"])
        let next = try #require(page.output.firstMatch(of: /gateway (search .*)/)).1
        let second = try await Program(path: "/bin/sh").run(
            ["-c", "exec \(Program.directory)/gateway \(next)"], environment: ["ROOT": deployment.root])
        #expect(second.status == 0 && second.output.contains(chick) != page.output.contains(chick))
    }

    @Test("the commands of the README work")
    func readme() async throws {
        let text = try String(contentsOfFile: Program.repository + "/Services/Search/README.md", encoding: .utf8)
        let block = try #require(text.firstMatch(of: /```sh\n([^`]*)```/)).1
        for command in block.split(separator: "\n") {
            let outcome = try await Program(path: "/bin/sh").run(
                ["-c", String(command)],
                environment: ["PATH": Program.directory + ":/usr/bin:/bin", "ROOT": deployment.root])
            #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(command): \(outcome.errors)")
        }
    }

    @Test("the API answers items with snippets, links, entity tags and problems")
    func api() async throws {
        let url = "http://127.0.0.1:\(try deployment.httpPort())"
        let found = try await curl(url + "/v1/search?q=galin&tag=bird&tag=golden%20hour", "-i")
        #expect(found.contains("200 OK") && found.contains(#""id":"\#(chick)""#), "\(found)")
        #expect(found.contains(#"{"text":"galinha","hit":true}"#) && found.contains(#""total_at_least":1"#))
        #expect(found.contains(#""image":"\#(url)/v1/image/\#(chick)/data","tags":["bird","golden hour"]"#))
        let first = try await curl(url + "/v1/search?q=a%20&limit=1", "-i")
        let link = try #require(first.firstMatch(of: /[Ll]ink: <([^>]+)>; rel="next"/)).1
        let second = try await curl(String(link))
        #expect(first.contains(chick) != second.contains(chick))
        // While the index is current, the entity tag depends on the results only.
        let page = try #require(first.firstMatch(of: /[Ee][Tt]ag: (\S+)/)).1
        let same = try await curl(url + "/v1/search?q=a%20&limit=1", "-i", "-H", "If-None-Match: \(page)")
        #expect(same.contains("304 Not Modified"), "\(same)")
        let suggestions = try await curl(url + "/v1/search/suggestions?prefix=go", "-i")
        #expect(suggestions.contains(#"{"tags":[{"text":"golden hour","count":1}],"places":[],"people":[]}"#))
        let tag = try #require(suggestions.firstMatch(of: /[Ee][Tt]ag: (\S+)/)).1
        let again = try await curl(
            url + "/v1/search/suggestions?prefix=go", "-i", "-H", "If-None-Match: \(tag)")
        #expect(again.contains("304 Not Modified"), "\(again)")
        for query in ["limit=0", "limit=101", "q=1&q=2", "after=1.2.3"] {
            let refused = try await curl(url + "/v1/search?\(query)", "-i")
            #expect(refused.contains("400 Bad Request") && refused.contains("problem+json"), "\(refused)")
        }
        #expect(try await curl(url + "/v1/search", "-i", "-X", "POST").contains("405 Method Not Allowed"))
        #expect(try await curl(url + "/openapi.json").contains("/v1/search/suggestions"))
    }

    @Test("the page has a field and links of tags, shows results, and says when search is down")
    func page() async throws {
        let url = "http://127.0.0.1:\(try deployment.httpPort())"
        let feed = try await curl(url + "/", "-H", "Accept: text/html")
        #expect(feed.contains(#"<form class="search in-bar" role="search" action="/search""#))
        #expect(feed.contains(#"href="/search?tag=golden%20hour">golden hour</a>"#), "\(feed)")
        let results = try await curl(url + "/search?q=lisb", "-H", "Accept: text/html")
        #expect(results.contains("A tram in &lt;<mark>Lisbon</mark>&gt;"), "\(results)")
        let tag = try await curl(url + "/search?tag=bird&lang=es", "-L", "-H", "Accept: text/html")
        #expect(tag.contains("Images with the tag bird") && tag.contains(chick), "\(tag)")
        let none = try await curl(
            url + "/search?q=%3Cb%3E", "-H", "Accept: text/html", "-H", "Accept-Language: el")
        #expect(none.contains("Δεν βρέθηκε τίποτα για «&lt;b&gt;»"), "\(none)")
    }

    @Test("no other plugin can publish the paths of search", arguments: ["/v1/search", "/v1/search/suggestions"])
    func conflicts(path: String) throws {
        let text = #"{"name":"other","socket":"o.sock","contracts":{"other":1},"http":{"GET \#(path)":"other.find"}}"#
        let manifest = try RawJSON(checking: Data(text.utf8)).read(as: PluginManifest.codec)
        #expect(manifest.conflict(with: [])?.contains("overlaps \(path) of the plugin search") == true)
    }

    @Test("when search is down, the API and the page say so, and the feed works")
    func down() async throws {
        try await withSearch { _, search, url in
            search.send(SIGKILL)
            _ = await search.ended()
            try await eventually {
                try await curl(url + "/v1/search?q=a", "-i").contains("503 Service Unavailable")
            }
            #expect(try await curl(url + "/v1/feed").contains(chick))
            try await eventually {
                try await curl(url + "/search?q=lisb", "-i", "-H", "Accept: text/html").contains("503")
            }
            #expect(
                try await curl(url + "/search", "-H", "Accept: text/html").contains(
                    "Search is not available right now")
            )
            try await eventually {
                try await curl(url + "/", "-H", "Accept: text/html").contains(
                    #"placeholder="Search is not available right now""#)
            }
        }
    }

    @Test("a result that the feed does not have any more is left out")
    func removed() async throws {
        try await withSearch { deployment, search, url in
            // Search cannot follow any more.
            search.send(SIGSTOP)
            defer { search.send(SIGCONT) }
            let removed = try await deployment.gateway("remove", chick)
            #expect(removed.status == 0)
            let asking = Task { try await curl(url + "/v1/search?q=galinha") }
            search.send(SIGCONT)
            let answer = try await asking.value
            #expect(answer.contains(#""items":[]"#), "\(answer)")
        }
    }

    @Test("without the manifest there is no search, and with it there is one again")
    func manifest() async throws {
        try await withSearch { deployment, _, url in
            let file = deployment.root + "/plugins.d/search.json"
            try FileManager.default.removeItem(atPath: file)
            try await eventually { try await curl(url + "/v1/search?q=a", "-i").contains("404 Not Found") }
            let page = try await curl(url + "/", "-H", "Accept: text/html")
            #expect(!page.contains("/search") && page.contains(#"<span class="tag" dir="auto">bird</span>"#), "\(page)")
            #expect(try await curl(url + "/search", "-i", "-H", "Accept: text/html").contains("404 Not Found"))
            let refused = try await run(deployment, ["search", "chick"])
            #expect(refused.status == 69 && refused.errors.contains("plugins.d/search.json"), "\(refused.errors)")
            try Data(searchManifest.utf8).write(to: URL(fileURLWithPath: file))
            try await eventually { try await run(deployment, ["search", "chick"]).output.contains(chick) }
            #expect(try await curl(url + "/", "-H", "Accept: text/html").contains("/search"))
            let verified = try await run(deployment, ["verify", "search", "--write", "--timeout", "60"])
            #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
        }
    }
}
