import Foundation
import JSON
import RPCTestKit
import Testing

@testable import gateway

/// Archives of other image feeds, in the forms in which their servers write them.
@Suite(.deployment()) struct ArchiveTests {
    private let deployment = Deployment.ofSuite
    private static let everybody = "https://www.w3.org/ns/activitystreams#Public"
    private static let sample = Program.repository + "/deploy/sample"

    private func tree(_ text: String) throws -> JSONValue { try JSONValue(json: text) }

    // MARK: Mastodon

    private func mastodon(_ posts: String..., hasFile: (String) -> Bool = { _ in true }) throws -> [ImportEntry] {
        let outbox =
            #"{"id":"outbox.json","type":"OrderedCollection","orderedItems":[\#(posts.joined(separator: ","))]}"#
        let entries = try MastodonArchive.entries(tree(outbox), hasFile: hasFile)
        return try #require(entries)
    }

    private func post(
        _ content: String, _ attachments: String..., to reader: String = everybody, cc: String = "me/followers",
        at date: String = "2024-05-01T10:00:00Z", warning: String = "null"
    ) -> String {
        #"{"type":"Create","object":{"id":"https://m.example/1","type":"Note","summary":\#(warning),"published":"\#(date)","#
            + #""to":["\#(reader)"],"cc":["\#(cc)"],"content":"\#(content)","attachment":[\#(attachments.joined(separator: ","))]}}"#
    }

    private func attachment(_ url: String, _ type: String = "image/jpeg", name: String = "null") -> String {
        #"{"type":"Document","mediaType":"\#(type)","url":"\#(url)","name":\#(name),"blurhash":"U"}"#
    }

    @Test func `the pictures of the newest post of Mastodon come first, each with the text of its post`() throws {
        let entries = try mastodon(
            post("<p>old</p>", attachment("media_attachments/files/1/original/a.jpg")),
            post(
                "<p>new</p>", attachment("media_attachments/files/2/original/b.jpg"),
                attachment("media_attachments/files/2/original/c.jpg"), at: "2024-05-02T10:00:00Z"),
            #"{"type":"Announce","object":"https://other.example/1"}"#, post("<p>no picture</p>"))
        #expect(entries.map(\.description) == ["new", "new", "old"])
        #expect(
            entries.map(\.file) == [
                "media_attachments/files/2/original/b.jpg", "media_attachments/files/2/original/c.jpg",
                "media_attachments/files/1/original/a.jpg",
            ])
        #expect(entries.allSatisfy { $0.refusal == nil })
    }

    @Test func `a picture without a text of its post has its own description, and a warning precedes the text`() throws
    {
        let picture = attachment("a.jpg", name: #""A red boat""#)
        #expect(try mastodon(post("", picture)).first?.description == "A red boat")
        #expect(try mastodon(post("", attachment("a.jpg"))).first?.description == nil)
        #expect(try mastodon(post("<p>Eyes</p>", picture, warning: #""ec""#)).first?.description == "ec\n\nEyes")
    }

    @Test(arguments: ["https://m.example/users/me/followers", "https://m.example/users/friend"])
    func `a post that not everybody could read is refused`(reader: String) throws {
        #expect(try mastodon(post("", attachment("a.jpg"), to: reader)).map(\.refusal) == ["its post is not public"])
        // An unlisted post is public.
        #expect(try mastodon(post("", attachment("a.jpg"), to: reader, cc: Self.everybody)).map(\.refusal) == [nil])
    }

    @Test func `what is not a picture, or has no file, is refused with its reason`() throws {
        let entries = try mastodon(post("", attachment("a.mp4", "video/mp4"), "{}", attachment("b.jpg", "")))
        #expect(
            entries.map(\.refusal) == [
                "it is not a picture, but video/mp4", "it has an attachment without a url", nil,
            ])
        #expect(entries.map(\.name) == ["a.mp4", "https://m.example/1", "b.jpg"])
    }

    @Test(arguments: [
        "/media_attachments/files/1/a.jpg", "media_attachments/files/1/a.jpg",
        "/bucket/media_attachments/files/1/a.jpg",
    ])
    func `a file is found where the server's path differs`(url: String) throws {
        let file = "media_attachments/files/1/a.jpg"
        #expect(try mastodon(post("", attachment(url)), hasFile: { $0 == file }).map(\.file) == [file])
    }

    // MARK: Texts

    @Test(arguments: [
        (#"<p>One</p><p>Two<br />three<br>four</p>"#, "One\n\nTwo\nthree\nfour"),
        (
            #"<p>See <a href="https://example.org/x"><span class="invisible">https://</span><span>example.org/x</span></a></p>"#,
            "See https://example.org/x"
        ),
        (#"<p><span class="h-card"><a href="u">@<span>bob</span></a></span> #sea</p>"#, "@bob #sea"),
        ("a &lt;b&gt; &amp;amp; &quot;c&quot; &#39;d&#39; &#x1F305; &nbsp;e", "a <b> &amp; \"c\" 'd' 🌅 \u{A0}e"),
        ("1 < 2 & 3 &unknown; &#xD800; &#0000000065;", "1 < 2 & 3 &unknown; &#xD800; &#0000000065;"), ("", ""),
        ("&#0000065; &#00000065;", "A &#00000065;"), ("<p>ágio\u{301}</p>", "ágio\u{301}"), ("no end <p", "no end <p"),
    ])
    func `the text of a post's HTML`(html: String, text: String) { #expect(HTMLText.plain(html) == text) }

    @Test func `a long text without the end of a tag takes no longer than others`() {
        let text = String(repeating: "<", count: 200_000) + String(repeating: "&", count: 200_000)
        #expect(HTMLText.plain(text) == text)
    }

    @Test(arguments: [
        ("Caf\u{C3}\u{A9} \u{F0}\u{9F}\u{8C}\u{85}", "Café 🌅"), ("Café", "Café"), ("Ελλάδα", "Ελλάδα"),
        ("plain", "plain"),
        ("\u{C3}\u{A9} and é", "\u{C3}\u{A9} and é"),
    ])
    func `texts of Instagram are repaired, others remain`(text: String, repaired: String) {
        #expect(InstagramArchive.repaired(text) == repaired)
    }

    // MARK: Instagram

    @Test func `the posts of Instagram are ordered by their times, with the caption of the post or of its picture`()
        throws
    {
        let lists = try [
            tree(
                #"""
                [{"media":[{"uri":"media/posts/1/a.jpg","creation_timestamp":100,"title":"Caf\u00c3\u00a9"}]},
                 {"media":[{"uri":"media/posts/3/c.jpg","creation_timestamp":300,"title":""},
                           {"uri":"media/posts/3/d.mp4","creation_timestamp":300,"title":""}],
                  "title":"Three","creation_timestamp":300}]
                """#),
            tree(#"[{"media":[{"uri":"media/posts/2/b.jpg","creation_timestamp":200}]},{"media":[{}]},{}]"#),
        ]
        let entries = try #require(InstagramArchive.entries(lists))
        #expect(
            entries.prefix(4).map(\.file)
                == ["media/posts/3/c.jpg", "media/posts/3/d.mp4", "media/posts/2/b.jpg", "media/posts/1/a.jpg"])
        #expect(entries.map(\.description) == ["Three", "Three", nil, "Café", nil])
        #expect(
            entries.map(\.refusal) == [nil, "it is not a picture, but a video", nil, nil, "it has no uri"])
        #expect(InstagramArchive.entries([.object(JSONMembers())]) == nil)
    }

    @Test func `the lists of Instagram are found in the folders of all years`() {
        for folder in ["your_instagram_activity/media", "your_instagram_activity/content", "content"] {
            let files = (1...3).map { "\(folder)/posts_\($0).json" }
            #expect(InstagramArchive.lists(hasFile: files.contains) == files)
            #expect(InstagramArchive.lists(hasFile: ["\(folder)/posts_2.json"].contains).isEmpty)
        }
    }

    // MARK: With the real programs

    /// Runs `body` with a folder of files; a nil content is the picture of the sample.
    private func withFolder(
        _ files: [String: String?], _ body: (String) async throws -> Void
    ) async throws {
        let picture = try #require(FileManager.default.contents(atPath: Self.sample + "/lighthouse.jpg"))
        try await withTemporaryDirectory { root in
            for (name, text) in files {
                let url = URL(filePath: "\(root)/archive/\(name)")
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try (text.map { Data($0.utf8) } ?? picture).write(to: url)
            }
            try await body(root + "/archive")
        }
    }

    @Test func `an archive of Mastodon is imported, and importing it twice changes nothing`() async throws {
        let posts = [
            post("<p>Sea &amp; sky</p>", attachment("/media_attachments/files/1/a.jpg")),
            post("", attachment("/media_attachments/files/2/gone.jpg"), at: "2024-05-02T10:00:00Z"),
            post("", attachment("/media_attachments/files/3/v.mp4", "video/mp4"), at: "2024-05-03T10:00:00Z"),
            post("", attachment("/media_attachments/../../secret.jpg"), at: "2024-05-04T10:00:00Z"),
            post("for friends", attachment("/media_attachments/files/4/b.jpg"), to: "friend"),
        ]
        let outbox = #"{"orderedItems":[\#(posts.joined(separator: ","))]}"#
        let files = [
            "outbox.json": outbox, "media_attachments/files/1/a.jpg": nil, "media_attachments/files/3/v.mp4": nil,
            "media_attachments/files/4/b.jpg": nil, "../secret.jpg": nil,
        ]
        try await withFolder(files) { folder in
            let first = try await deployment.gateway("import", folder)
            #expect(first.status == 65 && first.output == "1 published, 0 already present, 4 refused\n")
            let lines = first.errors.split(separator: "\n")
            #expect(lines.count == 4, "\(first.errors)")
            for words in [
                "files/4/b.jpg: its post is not public", "files/3/v.mp4: it is not a picture, but video/mp4",
                "secret.jpg: the file must be in the folder that is imported",
                "gone.jpg: cannot read file \(folder)/media_attachments/files/2/gone.jpg: it does not exist",
            ] {
                #expect(lines.contains { $0.contains(words) }, "\(first.errors)")
            }
            let second = try await deployment.gateway("import", folder)
            #expect(second.output == "0 published, 1 already present, 4 refused\n")
            #expect(try await deployment.gateway("feed").output.contains("Sea & sky"))
        }
    }

    @Test func `an archive of Instagram is imported`() async throws {
        let posts = #"""
            [{"media":[{"uri":"media/posts/201808/a.jpg","creation_timestamp":100,"title":"P\u00c3\u00b4r do sol"}]}]
            """#
        let files = ["your_instagram_activity/media/posts_1.json": posts, "media/posts/201808/a.jpg": nil]
        try await withFolder(files) { folder in
            let outcome = try await deployment.gateway("import", folder)
            #expect(outcome.output == "1 published, 0 already present, 0 refused\n", "\(outcome.errors)")
            #expect(try await deployment.gateway("feed").output.contains("Pôr do sol"))
        }
    }

    @Test(arguments: [
        ("outbox.json", "{}", "Mastodon: it has no list orderedItems"),
        ("outbox.json", #"{"orderedItems":[]}"#, "outbox.json lists none"),
        ("outbox.json", "{\n \"orderedItems\": [}", "at line 2, column 19"),
        ("content/posts_1.json", "{}", "posts_1.json is not that of an archive of Instagram: it is not a list"),
        ("content/posts_1.json", "[]", "posts_1.json lists none"),
    ])
    func `a list that is no archive's is refused with file, place and reason`(
        file: String, text: String, reason: String
    ) async throws {
        try await withFolder([file: text]) { folder in
            #expect { try ImportFolder(path: folder).entries() } throws: { error in
                "\(error)".contains("\(folder)/\(file)") && "\(error)".contains(reason)
            }
        }
    }
}
