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

    private static let files = FolderFiles(
        "/none",
        [
            "a.jpg", "b.jpg", "a.mp4", "media_attachments/files/1/original/a.jpg",
            "media_attachments/files/2/original/b.jpg", "media_attachments/files/2/original/c.jpg",
        ])

    private func mastodon(
        _ posts: String..., files: FolderFiles = files, takesSensitive: Bool = false
    ) throws -> [ImportEntry] {
        let outbox =
            #"{"id":"outbox.json","type":"OrderedCollection","orderedItems":[\#(posts.joined(separator: ","))]}"#
        let entries = try MastodonArchive(files: files, takesSensitive: takesSensitive).entries(tree(outbox))
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
    func `a post that not everybody could read is left out`(reader: String) throws {
        #expect(try mastodon(post("", attachment("a.jpg"), to: reader)).map(\.skipped) == [.notPublic])
        // An unlisted post is public.
        #expect(try mastodon(post("", attachment("a.jpg"), to: reader, cc: Self.everybody)).map(\.skipped) == [nil])
    }

    @Test func `what is not a picture is left out, what has no file is refused with its reason`() throws {
        let entries = try mastodon(
            post("", attachment("a.mp4", "video/mp4"), "{}", attachment("b.jpg", ""), attachment("x/gone.jpg")))
        #expect(entries.map(\.skipped) == [.notPicture, nil, nil, nil])
        #expect(
            entries.map(\.refusal) == [
                nil, "it has an attachment without a url", nil, "the archive has no file x/gone.jpg",
            ])
        #expect(entries.map(\.name) == ["a.mp4", "https://m.example/1", "b.jpg", "https://m.example/1"])
    }

    @Test func `a post keeps its date, and each picture its own alternative text`() throws {
        let entries = try mastodon(
            post("<p>x</p>", attachment("a.jpg", name: #""A gull""#), attachment("b.jpg", name: #""A pier""#)))
        #expect(entries.map(\.details.alt) == ["A gull", "A pier"])
        #expect(entries.map(\.description) == ["x", "x"])
        #expect(entries.allSatisfy { $0.publishedAt == Date(timeIntervalSince1970: 1_714_557_600) })
    }

    @Test(arguments: [false, true]) func `a sensitive post is left out, or marked`(isTaken: Bool) throws {
        let marked = post("", attachment("a.jpg")).replacing(
            #""type":"Note""#, with: #""type":"Note","sensitive":true"#)
        let entries = try mastodon(marked, takesSensitive: isTaken)
        #expect(entries.map(\.skipped) == [isTaken ? nil : .sensitive])
        #expect(entries.map(\.details.isSensitive) == [true])
    }

    @Test(arguments: [
        (#""sensitive":true"#, true), (#""sensitive":"True""#, true), (#""sensitive":1"#, true),
        (#""sensitive":"yes""#, true),
        (#""sensitive":false,"summary":"rats""#, true), (#""sensitive":false,"summary":"""#, false),
        (#""sensitive":"no""#, false), (#""sensitive":0"#, false), (#""sensitive":null,"summary":null"#, false),
    ])
    func `sensitive may have any form, and a warning covers too`(members: String, isSensitive: Bool) throws {
        let marked = post("", attachment("a.jpg")).replacing(
            #""type":"Note","summary":null"#, with: #""type":"Note",\#(members)"#)
        #expect(try mastodon(marked).map(\.skipped) == [isSensitive ? .sensitive : nil])
        let activity = post("", attachment("a.jpg")).replacing(
            #""type":"Create""#, with: #""type":"Create","sensitive":true"#)
        #expect(try mastodon(activity).map(\.skipped) == [.sensitive])
    }

    @Test(arguments: [
        "media/stories/202301/1.jpg", "your_instagram_activity/messages/inbox/a/photos/1.jpg",
        "media/profile/202301/1.jpg",
        "media/archived_posts/202301/1.jpg",
    ])
    func `what is no post of Instagram is left out, also from its list`(uri: String) throws {
        let list = try tree(#"[{"media":[{"uri":"\#(uri)","creation_timestamp":100}]}]"#)
        let entries = try #require(InstagramArchive(files: FolderFiles("/none", [uri])).entries([list]))
        #expect(entries.map(\.skipped) == [.notPublic])
    }

    @Test func `a single tag may be an object`() throws {
        let tagged = post("", attachment("a.jpg")).replacing(
            #""type":"Note""#, with: ##""type":"Note","tag":{"type":"Hashtag","name":"#sea"}"##)
        #expect(try mastodon(tagged).map(\.tags) == [["sea"]])
    }

    @Test func `a single attachment may be an object, and its address a link`() throws {
        let object = post("", attachment("a.jpg")).replacing("[{\"type\":\"Document\"", with: "{\"type\":\"Document\"")
            .replacing("\"blurhash\":\"U\"}]", with: "\"blurhash\":\"U\"}")
        #expect(try mastodon(object).map(\.file) == ["a.jpg"])
        let none = try mastodon(post("<p>Hi</p>", "").replacing(#""attachment":[]"#, with: #""attachment":null"#))
        #expect(none.isEmpty)
        let link = post("", #"{"mediaType":"image/jpeg","url":[{"type":"Link","href":"https://m.example/a.jpg"}]}"#)
        #expect(try mastodon(link).map(\.file) == ["a.jpg"])
    }

    @Test(arguments: [
        "/media_attachments/files/1/a.jpg", "media_attachments/files/1/a.jpg",
        "/bucket/media_attachments/files/1/a.jpg", "https://cdn.example/cache/media_attachments/files/1/a.jpg?x=1",
    ])
    func `a file is found where the server's path differs`(url: String) throws {
        let file = "media_attachments/files/1/a.jpg"
        let files = FolderFiles("/none", [file, "media_attachments/files/2/a.jpg"])
        #expect(try mastodon(post("", attachment(url)), files: files).map(\.file) == [file])
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
        ("a&#0;b &#x0;", "a\u{FFFD}b \u{FFFD}"), ("it&#146;s &#x80;5", "it’s €5"),
        ("1 < 2 > 0 <b>x</b>", "1 < 2 > 0 x"),
        ("a<!-- <b>no</b> > -->b<!-- c", "ab"), ("<SCRIPT>if (1<2) {}</script ><style>p{}</style>a", "a"),
        ("<script>a", ""), ("<scripted>a", "a"),
    ])
    func `the text of a post's HTML`(html: String, text: String) { #expect(HTMLText.plain(html) == text) }

    @Test func `a long text without the end of a tag takes no longer than others`() {
        let text = String(repeating: "<", count: 200_000) + String(repeating: "&", count: 200_000)
        #expect(HTMLText.plain(text) == text)
        #expect(HTMLText.plain(String(repeating: "<a", count: 200_000)).utf8.count == 400_000)
        #expect(HTMLText.plain(String(repeating: "<!---->", count: 100_000)).isEmpty)
    }

    /// The characters of the bytes of UTF-8.
    private static func misread(_ text: String) -> String {
        String(String.UnicodeScalarView(text.utf8.map { Unicode.Scalar($0) }))
    }

    @Test(arguments: [
        "Café 🌅", "à Paris", "ελιά και λίμνη", "для зимы", "дом", "بغداد", "Olá", "Nº 1 «à é»", "« l’été »", "日本",
        "plain", "", "łódź",
    ])
    func `texts of Instagram are repaired, also one by one`(text: String) {
        let misread = Self.misread(text)
        #expect(MisreadText([misread]).repaired(misread) == text)
        #expect(MisreadText([misread, Self.misread("🌅")]).repaired(misread) == text)
    }

    @Test(arguments: [
        "Café", "Ελλάδα", "« CAFÉ » «ÉTÉ» CAFÉ\u{A0}! Nº 1, À\u{A0}2", "«AMANHû É»", "BOA MANHÃ·TARDE·NOITE",
        "MAÇÃ® e A IRMò",
        "FÃ´S DO TIME", "BOA MANHÃ\u{A0}", "Vive le café\u{A0}»", "«Dice que está»¿verdad?", "Größe·Maß", "Łódź », źle",
        "été c’est",
    ])
    func `correct texts stay as they are`(text: String) {
        #expect(MisreadText([text]).repaired(text) == text)
        #expect(MisreadText([text, "Ünï»", "日本"]).repaired(text) == text)
    }

    @Test func `in a misread archive, other characters and the beginning of one do no harm`() {
        let texts = MisreadText([Self.misread("🇫🇷")])
        #expect(texts.repaired(Self.misread("Café 🇫🇷") + " c’est é") == "Café 🇫🇷 c’est é")
        #expect(texts.repaired(Self.misread("Olá") + " \u{F0}\u{9F}") == "Olá ")
    }

    @Test(arguments: [
        ("", []), ("a #sea #sun", ["sea", "sun"]), ("#a#b#c", ["a", "b", "c"]), ("no#tag", ["tag"]),
        ("#1 # ##x", ["x"]),
        ("＃海#praça, #Ωμέγα_2!", ["海", "praça", "Ωμέγα_2"]), ("#Sea #sea", ["Sea"]),
    ])
    func `the hashtags of a caption are its tags`(caption: String, tags: [String]) {
        #expect(InstagramArchive.tags(in: caption) == tags)
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
        let files = FolderFiles(
            "/none", ["media/posts/1/a.jpg", "media/posts/3/c.jpg", "media/posts/3/d.mp4", "media/posts/2/b.jpg"])
        let entries = try #require(InstagramArchive(files: files).entries(lists))
        #expect(
            entries.prefix(4).map(\.file)
                == ["media/posts/3/c.jpg", "media/posts/3/d.mp4", "media/posts/2/b.jpg", "media/posts/1/a.jpg"])
        #expect(entries.map(\.description) == ["Three", "Three", nil, "Café", nil, nil])
        #expect(entries.map(\.refusal) == [nil, nil, nil, nil, "it has no uri", nil])
        #expect(entries.map(\.skipped) == [nil, .notPicture, nil, nil, nil, .notPicture])
        #expect(
            entries.map { $0.publishedAt?.timeIntervalSince1970 } == [300, 300, 200, 100, nil, nil])
        #expect(InstagramArchive(files: files).entries([.object(JSONMembers())]) == nil)
    }

    @Test(arguments: [("[", "]"), ("", "")])
    func `a post of Instagram may be its picture itself`(start: String, end: String) throws {
        let archive = InstagramArchive(files: FolderFiles("/none", ["media/posts/1/a.jpg"]))
        let post = try tree(
            start + ##"{"uri":"media/posts/1/a.jpg","title":"One #sea","creation_timestamp":100}"## + end)
        let entries = try #require(archive.entries([post]))
        #expect(entries.map(\.file) == ["media/posts/1/a.jpg"] && entries.map(\.description) == ["One #sea"])
        #expect(entries.map(\.tags) == [["sea"]] && entries.map(\.refusal) == [nil])
        #expect(entries.map { $0.publishedAt?.timeIntervalSince1970 } == [100])
    }

    @Test func `the only post of an Instagram account may be an object`() throws {
        let archive = InstagramArchive(files: FolderFiles("/none", ["media/posts/1/a.jpg"]))
        let post = try tree(#"{"media":[{"uri":"media/posts/1/a.jpg","title":"One"}]}"#)
        #expect(try #require(archive.entries([post])).map(\.description) == ["One"])
        #expect(archive.entries([try tree("{}")]) == nil)
    }

    @Test func `the lists of Instagram are found in the folders of all years`() {
        for folder in ["your_instagram_activity/media", "your_instagram_activity/content", "content"] {
            let files = [1, 3, 10].map { "\(folder)/posts_\($0).json" }
            let others = ["\(folder)/posts_a.json", "\(folder)/posts_1.html", "x/\(folder)/posts_4.json"]
            #expect(InstagramArchive.lists(in: FolderFiles("/none", files.reversed() + others)) == files)
            #expect(InstagramArchive.lists(in: FolderFiles("/none", others)).isEmpty)
        }
    }

    // MARK: What the feed does not take

    /// The contents of an archive of Mastodon whose list has this text.
    private func contents(_ outbox: Data) throws -> ImportFolder.Contents {
        let root = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
        let picture = URL(filePath: root + "/media_attachments/files/1/a.jpg")
        try FileManager.default.createDirectory(
            at: picture.deletingLastPathComponent(), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: root) }
        try Data([1]).write(to: picture)
        try outbox.write(to: URL(filePath: root + "/outbox.json"))
        return try ImportFolder(path: root).contents(now: Self.now)
    }

    private static let now = Date(timeIntervalSince1970: 1_750_000_000)

    private func outbox(_ posts: String...) -> String { #"{"orderedItems":[\#(posts.joined(separator: ","))]}"# }

    private let picture = #"{"mediaType":"image/jpeg","url":"/media_attachments/files/1/a.jpg"}"#

    @Test(arguments: [9_999, 10_000, 10_001, 10_002, 50_000])
    func `a text that is longer than the feed takes is cut between characters`(length: Int) throws {
        // Each character has two scalars.
        let text = String(repeating: "🇧🇷", count: length / 2) + String(repeating: "e", count: length % 2)
        let contents = try contents(Data(outbox(post("<p>\(text)</p>", picture)).utf8))
        let entry = try #require(contents.entries.first)
        #expect(contents.entries.count == 1 && entry.refusal == nil)
        #expect(entry.description == String(text.prefix(5_000)))
        #expect(contents.notes == (length > 10_000 ? [.cutText: 1] : [:]))
    }

    @Test(arguments: [(86_400, true), (86_401, false)])
    func `a date more than a day ahead is no date`(seconds: Double, counts: Bool) throws {
        let date = WireDate.format(Self.now + seconds)
        let contents = try contents(Data(outbox(post("<p>A</p>", picture, at: date)).utf8))
        #expect(contents.entries.map(\.publishedAt) == [counts ? Self.now + seconds : nil])
        #expect(contents.notes == (counts ? [:] : [.futureDate: 1]))
    }

    @Test func `a post with a date that is ignored comes behind those with dates`() throws {
        let posts = [("A", -20.0), ("B", 500_000), ("C", -10)].map { text, seconds in
            post("<p>\(text)</p>", picture, at: WireDate.format(Self.now + seconds))
        }
        let contents = try contents(Data(#"{"orderedItems":[\#(posts.joined(separator: ","))]}"#.utf8))
        #expect(contents.entries.map(\.description) == ["C", "A", "B"])
    }

    @Test(arguments: [
        (Data(#"{"file":"a","comments":[{"username":"Ana","message":"Hi","created_at":"9999-01-01T00:00:00Z"}]}"#.utf8)),
        (Data(#"{"file":"a","published_at":"9999-01-01T00:00:00Z"}"#.utf8)),
    ])
    func `a date of a manifest more than a day ahead is no date`(entry: Data) throws {
        let read = try RawJSON(lenient: entry).read(as: ImportEntry.codec)
        let (fitted, notes) = read.fitted(cutting: false, now: Self.now)
        #expect(notes == [.futureDate])
        #expect(fitted.publishedAt == nil && fitted.comments.allSatisfy { $0.createdAt == nil })
    }

    @Test(arguments: ["source", "origin"])
    func `the source in a manifest is an address as browsers show it`(member: String) throws {
        let entry = Data(#"{"file":"a","\#(member)":" https://pt.example/São Paulo?a%20b"}"#.utf8)
        let read = try RawJSON(lenient: entry).read(as: ImportEntry.codec)
        #expect(read.details.source == "https://pt.example/S%C3%A3o%20Paulo?a%20b")
    }

    @Test func `a text of a manifest is not cut, its author can shorten it`() throws {
        let long = String(repeating: "a", count: 10_001)
        let entry = ImportEntry(file: "a", id: nil, description: long, location: nil, comments: [])
        #expect(entry.fitted(cutting: false, now: Self.now).entry == entry)
    }

    @Test func `bytes that are no UTF-8 cost only themselves`() throws {
        let (odd, good) = (post("<p>AXB</p>", picture), post("<p>good</p>", picture))
        let bytes = outbox(odd, good).utf8.map { $0 == UInt8(ascii: "X") ? 0xE9 : $0 }
        let contents = try contents(Data(bytes))
        #expect(Set(contents.entries.map(\.description)) == ["A\u{FFFD}B", "good"])
        #expect(contents.notes == [.damagedText: 1])
    }

    @Test(arguments: [true, false], [true, false])
    func `a list in UTF-16 with a byte order mark is read`(isLittle: Bool, isCut: Bool) throws {
        let text = outbox(post("<p>Olá 🌅</p>", picture)) + (isCut ? " " : "")
        let bytes = ("\u{FEFF}" + text).utf16.flatMap { unit -> [UInt8] in
            let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
            return isLittle ? bytes : bytes.reversed()
        }
        // A file that was cut ends with half a character.
        let contents = try contents(Data(isCut ? bytes.dropLast() : bytes[...]))
        #expect(contents.entries.map(\.description) == ["Olá 🌅"])
    }

    @Test func `a value that is nested too deep costs no other post`() throws {
        let deep =
            #"{"type":"Create","object":{"attachment":"#
            + String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000) + "}}"
        let contents = try contents(Data(outbox(deep, post("<p>good</p>", picture)).utf8))
        #expect(contents.entries.contains { $0.description == "good" && $0.refusal == nil })
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
            #expect(first.status == 65 && first.output == "1 published, 0 already present, 2 refused\n")
            let lines = first.errors.split(separator: "\n")
            #expect(lines.count == 4, "\(first.errors)")
            for words in [
                "1 left out: they were not public", "1 left out: they are not pictures",
                "the archive has no file /media_attachments/../../secret.jpg",
                "the archive has no file /media_attachments/files/2/gone.jpg",
            ] {
                #expect(lines.contains { $0.contains(words) }, "\(first.errors)")
            }
            let second = try await deployment.gateway("import", folder)
            #expect(second.output == "0 published, 1 already present, 2 refused\n")
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
        ("pixelfed-statuses.json", "Pixelfed"), ("Takeout/a.txt", "Google"), ("Google Photos/a.txt", "Google"),
        ("a.jpg.supplemental-metadata.json", "Google"), ("b/a.jpg.supplemental-meta.json", "Google"),
        ("Photos/Photo Details.csv", "iCloud"), ("account/user.json", "Discord"),
        ("repo.car", "Bluesky"), ("payload-0.json", "Tumblr"), ("message_headers.csv", "Reddit"),
        ("WhatsApp Chat with Ana.txt", "WhatsApp"), ("media.json", "Instagram"), ("direct/201901/b.jpg", "Instagram"),
        ("stories/201901/b.jpg", "Instagram"), ("part/profile/201901/b.jpg", "Instagram"),
        ("messages/e2ee_cutover/x/b.jpg", "Facebook"), ("this_profile's_activity_across_facebook/b.txt", "Facebook"),
        ("[LINE] Chat with Ana.txt", "LINE"), ("chats/messages2.html", "Telegram"), ("realmojis.json", "BeReal"),
    ])
    func `pictures of an archive that is not understood are not published`(file: String, network: String) async throws {
        try await withFolder([file: "{}", "a.jpg": nil]) { folder in
            #expect { try ImportFolder(path: folder).contents() } throws: { error in
                "\(error)".contains("looks like an archive of \(network) (it has ")
            }
        }
    }

    @Test func `an article begins with its title`() throws {
        let article = post("<p>Text</p>", attachment("/media_attachments/files/1/original/a.jpg"))
            .replacing(#""type":"Note""#, with: #""type":"Article","name":"Title""#)
        #expect(try mastodon(article).map(\.description) == ["Title\n\nText"])
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
            #expect { try ImportFolder(path: folder).contents().entries } throws: { error in
                "\(error)".contains("\(folder)/\(file)") && "\(error)".contains(reason)
            }
        }
    }
}
