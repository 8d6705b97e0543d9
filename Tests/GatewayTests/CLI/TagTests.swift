import Foundation
import JSON
import RPCTestKit
import Testing

@testable import gateway

/// The tags of items, from publishing to every form in which readers get them.
@Suite(.deployment(imageData: ["--no-fetch"])) struct TagTests {
    private let deployment = Deployment.ofSuite
    private static let id = "5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D01"
    private static let image = "https://example.org/a.jpg"

    private func curl(_ deployment: Deployment, _ path: String, _ options: String...) async throws -> String {
        let url = "http://127.0.0.1:\(try deployment.httpPort())\(path)"
        return try await Program(path: "/usr/bin/env").run(["curl", "-s", "-g"] + options + [url]).output
    }

    @Test func `published tags are on the command line, in the API, in the feeds and on the page`() async throws {
        let published = try await deployment.gateway(
            "publish", Self.image, "--id", Self.id, "--tag", "Sea", "--tag", " golden  <hour> ", "--tag", "SEA")
        #expect(published.status == 0, "\(published.errors)")
        let feed = try await deployment.gateway("feed")
        #expect(feed.output.contains("TAGS") && feed.output.contains("#Sea #golden <hour>"), "\(feed.output)")
        let tags = #""tags":["Sea","golden <hour>"]"#
        for path in ["/v1/feed", "/v1/image/\(Self.id)", "/feed.json"] {
            let answer = try await curl(deployment, path)
            #expect(answer.contains(tags), "\(path): \(answer)")
        }
        let atom = try await curl(deployment, "/feed.atom")
        #expect(
            atom.contains(#"<category term="Sea"/>"#) && atom.contains(#"<category term="golden &lt;hour&gt;"/>"#))
        for path in ["/", "/image/\(Self.id)"] {
            let page = try await curl(deployment, path, "-H", "Accept: text/html")
            #expect(page.contains(#"<span class="tag" dir="auto">golden &lt;hour&gt;</span>"#), "\(page)")
        }
        let again = try await deployment.gateway(
            "publish", Self.image, "--id", Self.id, "--tag", "ＳＥＡ", "--tag", "Golden <Hour>")
        #expect(again.status == 0, "\(again.errors)")
        let other = try await deployment.gateway("publish", Self.image, "--id", Self.id, "--tag", "Sea")
        #expect(other.status == 73, "\(other.errors)")
    }

    @Test func `without tags there is no column and no list`() async throws {
        try await Deployment.with(imageData: ["--no-fetch"]) { deployment in
            _ = try await deployment.gateway("publish", Self.image, "--id", Self.id)
            let feed = try await deployment.gateway("feed")
            #expect(!feed.output.contains("TAGS"))
            let page = try await curl(deployment, "/", "-H", "Accept: text/html")
            #expect(!page.contains("class=\"tag"))
            let items = try await curl(deployment, "/v1/feed")
            #expect(!items.contains("tags"))
        }
    }

    @Test(arguments: [(20, 0), (21, 64)]) func `publish takes 20 tags`(count: Int, status: Int32) async throws {
        let tags = (1...count).flatMap { ["--tag", "t\($0)"] }
        let outcome = try await deployment.gateway(["publish", Self.image] + tags)
        #expect(outcome.status == status, "\(outcome.errors)")
        if status != 0 { #expect(outcome.errors.contains("--tag"), "\(outcome.errors)") }
    }

    @Test func `an exported feed is imported with its tags, and once without them counts as imported`() async throws {
        try await withTemporaryDirectory { folder in
            try await Deployment.with(imageData: ["--no-fetch"]) { deployment in
                _ = try await deployment.gateway("publish", Self.image, "--id", Self.id, "--tag", "Sea")
                _ = try await deployment.gateway("export", folder + "/export")
                _ = try await deployment.gateway("remove", Self.id)
                let restored = try await deployment.gateway("import", folder + "/export")
                #expect(restored.output == "1 published, 0 already present, 0 refused\n", "\(restored.errors)")
                let item = try await deployment.gateway("call", "feed.get", "id=\(Self.id)")
                #expect(item.output.contains(#""tags":["Sea"]"#), "\(item.output)")

                _ = try await deployment.gateway("remove", Self.id)
                _ = try await deployment.gateway("publish", Self.image, "--id", Self.id)
                let imported = try await deployment.gateway("import", folder + "/export")
                #expect(imported.status == 0, "\(imported.errors)")
                #expect(imported.output == "0 published, 1 already present, 0 refused\n")
                #expect(
                    imported.errors.contains("1 images are in the feed without all their tags and texts"),
                    "\(imported.errors)")
                _ = try await deployment.gateway("remove", Self.id)
                _ = try await deployment.gateway("publish", Self.image, "--id", Self.id, "--description", "Other")
                let refused = try await deployment.gateway("import", folder + "/export")
                #expect(refused.status == 65 && !refused.errors.contains("without all their"), "\(refused.errors)")
            }
        }
    }

    @Test func `the hashtags of a Mastodon post are its tags`() throws {
        let hashtags = ["#Sea", "#sea", "#ω", "#" + String(repeating: "x", count: 51)] + (1...30).map { "#t\($0)" }
        let names = hashtags.map { #"{"type":"Hashtag","name":"\#($0)"}"# } + [#"{"type":"Mention","name":"@ana"}"#]
        let outbox = """
            {"orderedItems":[{"type":"Create","object":{"content":"x","to":["as:Public"],"tag":[\(names.joined(separator: ","))],
             "attachment":[{"url":"/a.jpg","mediaType":"image/jpeg"}]}}]}
            """
        let archive = MastodonArchive(files: FolderFiles("/none", ["a.jpg"]), takesSensitive: false)
        let entries = try #require(archive.entries(JSONValue(json: outbox)))
        #expect(entries.map(\.tags) == [["Sea", "ω"] + (1...18).map { "t\($0)" }])
    }
}
