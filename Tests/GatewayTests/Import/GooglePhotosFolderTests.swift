import Foundation
import RPC
import RPCTestKit
import Testing

@testable import gateway

/// Folders of Google Photos, as Google Takeout writes them.
struct GooglePhotosFolderTests {
    /// - Parameter files: the contents by path; a picture's is empty.
    private func contents(_ files: [String: String]) async throws -> ImportFolder.Contents {
        try await withTemporaryDirectory { root in
            for (file, text) in files {
                let url = URL(filePath: "\(root)/Takeout/\(file)")
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: url)
            }
            return try ImportFolder(path: root + "/Takeout").contents()
        }
    }

    private func sidecar(_ title: String, at time: Int = 1_600_000_000, _ members: String = "") -> String {
        #"{"title":"\#(title)","description":"","photoTakenTime":{"timestamp":"\#(time)","formatted":"x"}\#(members)}"#
    }

    @Test(arguments: [
        ("a.jpg", "a.jpg.json"), ("a.jpg", "a.jpg.supplemental-metadata.json"), ("a(1).jpg", "a.jpg(1).json"),
        ("a(1).jpg", "a.jpg.supplemental-metadata(1).json"), ("a(1).jpg", "a(1).jpg.json"),
        ("a (2).jpg", "a (2).jpg.supplemental-metadata.json"), ("a(1)(2).jpg", "a(1).jpg.suppl(2).json"),
        ("PXL_20241231_151646544.MP.jpg", "PXL_20241231_151646544.MP.jpg.supplemental-met.json"),
        ("PXL_20240506_142610305.LONG_EXPOSURE-01.COVER.jpg", "PXL_20240506_142610305.LONG_EXPOSURE-01.COVER..json"),
        ("PXL_20211120_223243932.MOTION-02.ORIGINAL.jpg", "PXL_20211120_223243932.MOTION-02.ORIGINAL.jpg..json"),
        (
            "0123456789012345678901234567890123456789012345678.jpg",
            "0123456789012345678901234567890123456789012345.json"
        ),
        ("123456789123456789123456789123456789_DSCN0091.JPG", "123456789123456789123456789123456789_DSCN0091.JP.json"),
        ("a.jpg", "a.supplemental-metadata.json"), ("prac\u{327}a.jpg", "praça.jpg.json"),
        ("IMG_4081(1).jpg", "IMG_4081.JPG(1).json"), ("B.JPG", "b.jpg.json"), ("a.jpg", "a.jpg.metadata.json"),
        ("😀😃😄😁😆😅😂🤣🥲☺️😊😇🙂🙃😉😌😍🥰😘😗😙😚😋😛.jpg", "😀😃😄😁😆😅😂🤣🥲☺️😊😇🙂🙃😉😌😍🥰😘😗😙😚😋.json"),
        (
            "012345678901234567890123456789012345678901👩‍👩‍👧.jpg",
            "012345678901234567890123456789012345678901👩\u{200D}.json"
        ),
        ("a-edited.jpg", "a.jpg.json"), ("a-bearbeitet(1).jpg", "a.jpg.supplemental-metadata(1).json"),
    ])
    func `a picture has the date of its sidecar`(picture: String, list: String) async throws {
        for folder in ["", "Google Photos/Photos from 2020/"] {
            let entries = try await contents([folder + picture: "", folder + list: sidecar("T.jpg")]).entries
            #expect(entries.map(\.publishedAt) == [Date(timeIntervalSince1970: 1_600_000_000)])
            #expect(entries.map(\.unnamed) == ["T"] && entries.allSatisfy { $0.refusal == nil })
        }
    }

    @Test func `the newest picture is on top, with its text`() async throws {
        let described = sidecar("b.jpg", at: 1_600_000_100).replacing(
            #""description":"""#, with: #""description":" Olá "# + #"""#)
        let contents = try await contents([
            "a.jpg": "", "a.jpg.json": sidecar("a.jpg"), "b.jpg": "", "b.jpg.json": described,
            "metadata.json": #"{"title":"Album"}"#, "clip.mp4": "", "clip.mp4.json": sidecar("clip.mp4"),
        ])
        #expect(contents.entries.map(\.file) == ["b.jpg", "a.jpg"])
        #expect(contents.entries.map(\.description) == ["Olá", nil] && contents.skipped == [.notPicture: 1])
    }

    @Test(arguments: [
        #","archived":true"#, #","trashed":true"#, #","inLockedFolder":true"#, #","archived":"true""#,
        #","googlePhotosOrigin":{"fromPartnerSharing":{}}"#, #","googlePhotosOrigin":{"fromSharedAlbum":{}}"#,
    ])
    func `what the owner put aside, and others' pictures, are left out`(members: String) async throws {
        let contents = try await contents([
            "a.jpg": "", "a.jpg.json": sidecar("a.jpg", members), "a-edited.jpg": "x", "b.jpg": "",
            "b.jpg.json": sidecar("b.jpg", #","archived":false,"googlePhotosOrigin":{"mobileUpload":{}}"#),
        ])
        #expect(contents.entries.map(\.file) == ["b.jpg"] && contents.skipped == [.notPublic: 2])
    }

    @Test(arguments: ["Trash", "Locked Folder", "Google Photos/Archive", "Lixeira"])
    func `folders of what is put aside are left out`(folder: String) async throws {
        let contents = try await contents([
            "\(folder)/a.jpg": "", "\(folder)/a.jpg.json": sidecar("a.jpg"), "b.jpg": "",
            "b.jpg.json": sidecar("b.jpg"),
        ])
        #expect(contents.entries.map(\.file) == ["b.jpg"] && contents.skipped == [.notPublic: 1])
    }

    @Test func `of an edited picture and of copies in albums, one is imported`() async throws {
        let contents = try await contents([
            "2020/a.jpg": "original", "2020/a-edited.jpg": "edited", "2020/a.jpg.json": sidecar("a.jpg"),
            "2020/b.jpg": "one", "2020/b.jpg.json": sidecar("b.jpg"), "Album/b.jpg": "one",
            "Album/b.jpg.json": sidecar("b.jpg"),
            // Another picture of the same name.
            "Other/b.jpg": "two!", "Other/b.jpg.json": sidecar("b.jpg", at: 5),
        ])
        #expect(contents.entries.map(\.file) == ["2020/a-edited.jpg", "2020/b.jpg", "Other/b.jpg"])
        #expect(contents.skipped == [.copy: 2])
    }

    @Test func `a picture has the sidecar of its own case, and none if several fit`() async throws {
        let contents = try await contents([
            "a.jpg": "1", "a.jpg.json": sidecar("x.jpg", at: 1), "A.JPG": "2", "A.JPG.json": sidecar("y.jpg", at: 2),
            "A.jpg": "3",
        ])
        #expect(contents.entries.filter { $0.refusal == nil }.map(\.file) == ["A.JPG", "a.jpg"])
        #expect(contents.entries.first { $0.refusal != nil }?.file == "A.jpg")
    }

    @Test func `a picture without a sidecar may be private, and is refused`() async throws {
        let entries = try await contents([
            "a.jpg": "", "a.jpg.json": sidecar("a.jpg"), "c.jpg": "", "Drive/d.jpg": "", "e.jpg": "", "e.jpg.json": "{",
            "(1)": "",
        ]).entries
        #expect(Set(entries.filter { $0.refusal == nil }.map(\.file)) == ["a.jpg"] && entries.count == 5)
    }

    @Test func `a folder of another program with JSON beside pictures is a folder of pictures`() async throws {
        let contents = try await contents(["a.jpg": "", "a.jpg.json": #"{"title":"A"}"#])
        #expect(contents.entries.map(\.file) == ["a.jpg"] && contents.skipped == [.notPicture: 1])
    }
}
