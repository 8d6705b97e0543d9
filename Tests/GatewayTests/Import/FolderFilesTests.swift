import Foundation
import RPC
import RPCTestKit
import Testing

@testable import gateway

/// The files that a folder brings.
struct FolderFilesTests {
    private func withFolder(_ files: [String], _ body: (String) throws -> Void) async throws {
        try await withTemporaryDirectory { root in
            for file in files {
                let url = URL(filePath: "\(root)/folder/\(file)")
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data("x".utf8).write(to: url)
            }
            try body(root + "/folder")
        }
    }

    @Test func `hidden files and files of systems are skipped and counted`() async throws {
        let skipped = [
            "@eaDir/a.jpg/SYNOPHOTO_THUMB_XL.jpg", "Thumbs.db", "sub/desktop.ini", "__MACOSX/._a.jpg", "#recycle/b.jpg",
            "$RECYCLE.BIN/c.jpg", "lost+found/d.jpg", "x/@eaDir/e.jpg", ".hidden/c.jpg", ".DS_Store", ".@__thumb/a.jpg",
        ]
        try await withFolder(skipped + ["a.jpg", "sub/b.jpg"]) { folder in
            let files = FolderFiles(folder)
            #expect(files.pictures == ["a.jpg", "sub/b.jpg"] && files.systemFiles == skipped.count)
        }
    }

    @Test func `a link to a folder has its files`() async throws {
        try await withFolder(["a.jpg", "sub/b.jpg"]) { folder in
            try FileManager.default.createSymbolicLink(atPath: folder + "-link", withDestinationPath: folder)
            #expect(FolderFiles(folder + "-link").pictures == ["a.jpg", "sub/b.jpg"])
            #expect(try ImportFolder(path: folder + "-link").contents().entries.count == 2)
        }
    }

    @Test func `files with other endings than those of pictures are left out and counted`() async throws {
        try await withFolder(["a.jpg", "B.HEIC", "c", "d.tiff", "notes.txt", "e.swift", "f.json", "Thumbs.db"]) {
            folder in
            let contents = try ImportFolder(path: folder).contents()
            #expect(Set(contents.entries.map(\.file)) == ["a.jpg", "B.HEIC", "d.tiff"])
            #expect(contents.skipped == [.notPicture: 4, .system: 1])
        }
        try await withFolder(["notes.txt"]) { folder in
            #expect { try ImportFolder(path: folder).contents() } throws: { ($0 as? RPCError)?.kind == .notFound }
        }
    }

    @Test(arguments: [("# A text\n", false), ("", true), ("\u{1}\0", true)])
    func `a file without an ending is a picture unless it is a text`(content: String, isPicture: Bool) async throws {
        try await withFolder(["a.jpg"]) { folder in
            try Data(content.utf8).write(to: URL(filePath: folder + "/README"))
            let contents = try ImportFolder(path: folder).contents()
            #expect(contents.entries.map(\.file).contains("README") == isPicture)
            #expect(contents.skipped == (isPicture ? [:] : [.notPicture: 1]))
        }
    }

    @Test(arguments: [0, 1]) func `the zero of a picture without an ending is in its first 512 bytes`(
        excess: Int
    ) async throws {
        try await withFolder(["a.jpg"]) { folder in
            try (Data(repeating: 1, count: 511 + excess) + [0]).write(to: URL(filePath: folder + "/b"))
            #expect(try ImportFolder(path: folder).contents().entries.count == (excess == 0 ? 2 : 1))
        }
    }

    @Test(arguments: [
        (#""sea, golden hour ,""#, ["sea", "golden hour"]), (#""sea""#, ["sea"]), (#"["a, b"]"#, ["a, b"]),
        (#"",""#, []),
    ])
    func `the tags of a manifest may be one text`(tags: String, expected: [String]) async throws {
        try await withFolder(["a.jpg"]) { folder in
            try Data(#"[{"file":"a.jpg","tags":\#(tags)}]"#.utf8).write(to: URL(filePath: folder + "/manifest.json"))
            #expect(try ImportFolder(path: folder).contents().entries.map(\.tags) == [expected])
        }
    }

    @Test func `a name that is not in UTF-8 is refused`() async throws {
        try await withFolder(["a.jpg"]) { folder in
            let name = Array("\(folder)/caf".utf8CString.dropLast()) + [CChar(bitPattern: 0xE9), 0]
            let descriptor = open(name, O_CREAT | O_WRONLY, 0o600)
            #expect(descriptor >= 0 && close(descriptor) == 0)
            let entries = try ImportFolder(path: folder).contents().entries
            #expect(entries.map { $0.refusal?.contains("UTF-8; rename") } == [nil, true])
        }
    }

    @Test func `names are ordered with numbers as numbers`() async throws {
        try await withFolder(["IMG_10.jpg", "IMG_2.jpg", "img_1.jpg", "b.jpg"]) { folder in
            #expect(FolderFiles(folder).pictures == ["b.jpg", "img_1.jpg", "IMG_2.jpg", "IMG_10.jpg"])
        }
    }

    @Test(arguments: [
        ("praça.jpg", "prac\u{327}a.jpg"), ("prac\u{327}a.jpg", "praça.jpg"), ("é/ü.jpg", "e\u{301}/u\u{308}.jpg"),
    ])
    func `a name is found in another normalisation`(listed: String, stored: String) async throws {
        try await withFolder([stored]) { folder in
            let found = FolderFiles.matching(listed, in: folder)
            #expect(Array(found.utf8) == Array(stored.utf8))
            #expect(FolderFiles.matching("none.jpg", in: folder) == "none.jpg")
        }
    }

    @Test func `a link out of the folder is refused, one inside is not`() async throws {
        try await withFolder(["a.jpg", "sub/b.jpg", "../secret.jpg"]) { folder in
            try FileManager.default.createSymbolicLink(atPath: folder + "/in.jpg", withDestinationPath: "sub/b.jpg")
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/out.jpg", withDestinationPath: "../secret.jpg")
            try FileManager.default.createSymbolicLink(atPath: folder + "/up", withDestinationPath: "..")
            let folder = ImportFolder(path: folder)
            _ = try folder.picture("in.jpg")
            for file in ["out.jpg", "up/secret.jpg"] {
                #expect { try folder.picture(file) } throws: { "\($0)".contains("link out of the folder") }
            }
        }
    }

    @Test(arguments: [
        (["archive-2024/outbox.json", "archive-2024/avatar.jpg"], "archive-2024: name that one"),
        (["media/posts/1/a.jpg", "start_here.html"], "in the format JSON"),
        (["actor.json", "avatar.png"], "outbox.json"),
        (["x/your_instagram_activity/messages/inbox/1/m.jpg"], "Instagram"), (["data/tweets.js", "data/a.jpg"], "X"),
        (["media_attachments/files/1/a.jpg"], "Mastodon"),
        (["x/y/z/outbox.json", "x/y/z/a.jpg"], "x/y/z: name that one"),
        (["messages/inbox/ana/photos/1.jpg", "media/other/1.jpg"], "Instagram"),
        (["inbox/ana/message_1.json", "inbox/ana/photos/1.jpg"], "Instagram"),
        (["posts/202301/1.jpg", "archived_posts/202301/2.jpg"], "Instagram"),
        (["Likes.json", "avatar.jpg"], "Mastodon"),
        (["data/profile_media/1.jpg"], "X"), (["chats/a.jpg", "result.json"], "Telegram"),
        (["_chat.txt", "a.jpg"], "WhatsApp"),
        (["chat_media/1.jpg"], "Snapchat"), (["photos_and_videos/album/1.jpg"], "Facebook"),
        (["data/direct_messages_media/1.jpg"], "X"),
    ])
    func `an archive that is not understood is refused as a whole`(files: [String], words: String) async throws {
        try await withFolder(files) { folder in
            #expect { try ImportFolder(path: folder).contents() } throws: { error in
                (error as? RPCError)?.kind == .invalidData && "\(error)".contains(words)
            }
        }
    }

    @Test(arguments: [
        (["outbox.json", "media_attachments/files/1/a.jpg"], "media_attachments/files"),
        (["your_instagram_activity/messages/1.jpg"], "your_instagram_activity/messages"),
        (["data/tweets.js", "data/tweets_pictures/1.jpg"], "data/tweets_pictures"),
    ])
    func `a folder of an archive is refused`(files: [String], named: String) async throws {
        try await withFolder(files) { folder in
            #expect { try ImportFolder(path: "\(folder)/\(named)").contents() } throws: { error in
                (error as? RPCError)?.kind == .invalidData && "\(error)".contains("a folder of an archive")
            }
        }
    }

    @Test(arguments: [
        // The same place, also below other folders.
        ("media_attachments/files/1/2/original/a.jpg", "/media_attachments/files/1/2/original/a.jpg", true),
        ("files/1/2/original/a.jpg", "https://m.example/system/media_attachments/files/1/2/original/a.jpg", true),
        ("a.jpg", "https://m.example/a.jpg?x#y", true), ("posts/a.jpg", "posts/a.jpg", true),
        // A file of the same name elsewhere: of another post, a story, an avatar.
        ("pictures/1/2/original/a.jpg", "/media_attachments/files/1/2/original/a.jpg", false),
        ("media_attachments/files/9/8/original/a.jpg", "/media_attachments/files/1/2/original/a.jpg", false),
        ("avatar.jpg", "/media_attachments/files/1/avatar.jpg", false),
        ("1/a.jpg", "/media_attachments/files/1/a.jpg", false),
        ("b/001/original/a.jpg", "a/001/original/a.jpg", false),
        ("media/stories/202001/a.jpg", "media/posts/202001/a.jpg", false),
        ("stories/202001/a.jpg", "media/posts/202001/a.jpg", false), ("private/a.jpg", "posts/a.jpg", false),
    ])
    func `the file of an address has its whole path`(file: String, address: String, isFound: Bool) async throws {
        try await withFolder([file]) { folder in
            #expect(FolderFiles(folder).file(at: address) == (isFound ? file : nil))
        }
    }

    @Test func `a folder of pictures is no archive`() async throws {
        try await withFolder(["posts/a.jpg", "stories/b.jpg", "media/c.jpg"]) { folder in
            let entries = try ImportFolder(path: folder).contents().entries
            #expect(entries.count == 3)
        }
    }

    @Test func `a list of another program may begin with a byte order mark and have a doubled member`() async throws {
        try await withFolder(["a.jpg"]) { folder in
            let text =
                "\u{FEFF}"
                + #"[{"file":"b.jpg","file":"a.jpg","mood":"x","author":"Ana","licence":"CC0-1.0","origin":"https://o.example/1"}]"#
            try Data(text.utf8).write(to: URL(filePath: folder + "/manifest.json"))
            let contents = try ImportFolder(path: folder).contents()
            #expect(contents.entries.map(\.file) == ["a.jpg"])
            #expect(contents.unknownMembers == ["mood"])
            let details = contents.entries.first?.details
            #expect(
                details?.credit == "Ana" && details?.license == "CC0-1.0" && details?.source == "https://o.example/1")
        }
    }

    @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian])
    func `a list may be in UTF-16`(encoding: String.Encoding) async throws {
        try await withFolder(["é.jpg"]) { folder in
            let text = try #require("\u{FEFF}[{\"file\":\"é.jpg\"}]".data(using: encoding))
            try text.write(to: URL(filePath: folder + "/manifest.json"))
            #expect(try ImportFolder(path: folder).contents().entries.map(\.file) == ["é.jpg"])
        }
    }

    @Test func `a pipe without a writer is not waited for`() async throws {
        try await withFolder(["a.jpg"]) { folder in
            #expect(mkfifo(folder + "/pipe.jpg", 0o600) == 0)
            let entries = try ImportFolder(path: folder).contents().entries
            #expect(entries.map(\.file) == ["a.jpg", "pipe.jpg"])
            #expect {
                try ImportFolder(path: folder).picture("pipe.jpg").read()
            } throws: {
                "\($0)".contains("regular file")
            }
        }
    }

    @Test func `every member of a list that import reads is known`() {
        #expect(ImportEntry.memberNames.isSuperset(of: ["file", "tags", "published_at", "alt", "author", "width"]))
        #expect(!ImportEntry.memberNames.contains("mood"))
    }
}
