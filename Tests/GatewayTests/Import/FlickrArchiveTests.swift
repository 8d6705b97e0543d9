import EdgeModel
import Foundation
import JSON
import RPC
import RPCTestKit
import Testing

@testable import gateway

/// Archives of Flickr.
struct FlickrArchiveTests {
    private func contents(_ files: [String: String], takesSensitive: Bool = false) async throws -> ImportFolder.Contents
    {
        try await withTemporaryDirectory { root in
            for (file, text) in files {
                let url = URL(filePath: "\(root)/\(file)")
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: url)
            }
            return try ImportFolder(path: root, takesSensitive: takesSensitive).contents()
        }
    }

    private func photo(
        _ id: Int, privacy: String = "public", at date: String = "2020-05-01 10:00:00", _ more: String = ""
    )
        -> String
    {
        #"{"id":"\#(id)","name":"Pier","description":"","date_taken":"2019-01-01 00:00:00","date_imported":"\#(date)","#
            + #""license":"Attribution License","privacy":"\#(privacy)","tags":[],"comments":[]\#(more)}"#
    }

    @Test func `public pictures are imported with their texts, the newest on top`() async throws {
        let second = photo(200_002, at: "2021-01-01 00:00:00").replacing(
            #""description":"""#, with: #""description":"A <b>bold</b> view &amp; more""#
        )
        .replacing(#""tags":[]"#, with: #""tags":[{"tag":"sea","user":"1@N00"},{"tag":"São Paulo"}]"#)
        .replacing(#""license""#, with: #""photopage":"https://www.flickr.com/photos/ana/200002/","license""#)
        .replacing(
            #""comments":[]"#,
            with: #""comments":[{"id":"9","date":"2021-02-01 00:00:00","user":"2@N00","comment":"Nice"},"#
                + #"{"date":"2021-02-02 00:00:00","user":"1@N00","comment":"Thanks"},{"user":"3@N00"}]"#)
        let contents = try await contents([
            "photo_100001.json": photo(100_001), "photo_200002.json": second, "albums.json": "{}",
            "data-download-1/pier_100001_o.jpg": "", "data-download-1/200002_4d1fa0b3c2_o.jpg": "",
            "account_profile.json": #"{"real_name":"Ana Silva","screen_name":"ana","nsid":"1@N00"}"#,
        ])
        let entries = contents.entries
        #expect(
            entries.map(\.file) == ["data-download-1/200002_4d1fa0b3c2_o.jpg", "data-download-1/pier_100001_o.jpg"])
        #expect(entries.map(\.description) == ["Pier\nA bold view & more", "Pier"])
        #expect(entries.map(\.tags) == [["sea", "São Paulo"], []])
        #expect(
            entries.map { $0.publishedAt.map(WireDate.format) } == ["2021-01-01T00:00:00Z", "2020-05-01T10:00:00Z"])
        #expect(entries[0].comments.map(\.username) == ["2@N00", "ana"])
        #expect(
            entries[0].details
                == PictureDetails(
                    credit: "Ana Silva", license: "Attribution License",
                    source: "https://www.flickr.com/photos/ana/200002/"))
    }

    @Test(arguments: ["private", "friend only", "family only", "friend & family", "", "Public?", "contacts"])
    func `what not everybody could see is left out`(privacy: String) async throws {
        let contents = try await contents([
            "photo_100001.json": photo(100_001, privacy: privacy), "a_100001_o.jpg": "",
            "photo_100002.json": photo(100_002), "b_100002_o.jpg": "", "c.jpg": "", "100009_avatar.jpg": "",
        ])
        #expect(contents.entries.map(\.file) == ["b_100002_o.jpg"] && contents.skipped == [.notPublic: 1])
    }

    @Test func `pictures that are not safe are sensitive`() async throws {
        let files = ["photo_100001.json": photo(100_001, #","safety":"moderate""#), "a_100001_o.jpg": ""]
        #expect(try await contents(files).skipped == [.sensitive: 1])
        let entries = try await contents(files, takesSensitive: true).entries
        #expect(entries.map(\.details.isSensitive) == [true])
        let safe = ["photo_100001.json": photo(100_001, #","safety":"safe""#), "a_100001_o.jpg": ""]
        #expect(try await contents(safe).entries.map(\.details.isSensitive) == [false])
    }

    @Test func `a picture whose file is not there, or not for certain, is refused`() async throws {
        let entries = try await contents([
            "photo_100001.json": photo(100_001), "photo_100002.json": photo(100_002), "a_100002_o.jpg": "",
            "b_100002_o.jpg": "",
        ]).entries
        #expect(entries.map { $0.refusal?.contains("no file with the id 100001") } == [true, false])
        #expect(entries.last?.refusal?.contains("several files") == true)
    }

    @Test func `a number in the title of another picture is no id`() async throws {
        let entries = try await contents([
            "photo_20200101.json": photo(20_200_101), "at_20200101_53508710586_o.jpg": "",
            "20200101_53508710587_o.jpg": "", "photo_53508710586.json": photo(53_508_710_586, privacy: "private"),
            "photo_53508710587.json": photo(53_508_710_587, privacy: "private"),
        ]).entries
        #expect(entries.map { $0.refusal?.contains("no file") } == [true])
    }

    @Test func `a damaged file stops no other`() async throws {
        let entries = try await contents([
            "photo_100001.json": photo(100_001), "a_100001_o.jpg": "", "photo_100002.json": "{", "b_100002_o.jpg": "",
            "photo_100003.json": #"{"id":"100003"}"#,
        ]).entries
        #expect(entries.map(\.file) == ["a_100001_o.jpg", "photo_100002.json", "photo_100003.json"])
        #expect(entries.map { $0.refusal == nil } == [true, false, false])
    }

    @Test func `a list that does not say who can see a picture is refused`() async throws {
        await #expect {
            try await contents(["photo_100001.json": #"{"id":"100001"}"#, "a_100001_o.jpg": ""])
        } throws: {
            "\($0)".contains("Flickr: it has no id or no privacy")
        }
    }
}
