import EdgeModel
import FeedContract
import Foundation
import RPC
import RPCTestKit
import Testing

@testable import gateway

@Suite struct ExportTests {
    private static let sample = Program.repository + "/deploy/sample"

    @Test func `an exported feed is imported without loss, and a second export writes nothing`() async throws {
        try await withTemporaryDirectory { root in
            let folder = root + "/export"
            let (items, comments) = try await Deployment.with { deployment in
                #expect(try await deployment.gateway("import", Self.sample).status == 0)
                let first = try await deployment.gateway("export", folder, "--json")
                #expect(first.status == 0 && first.output.contains(#""missing":0"#), "\(first.errors)")
                let second = try await deployment.gateway("export", folder, "--json")
                #expect(second.status == 0 && second.output.contains(#""written":0"#), "\(second.output)")
                return try await content(deployment)
            }
            try await Deployment.with { deployment in
                let imported = try await deployment.gateway("import", folder)
                #expect(imported.status == 0 && imported.output.contains(" 0 refused"), "\(imported.errors)")
                let (otherItems, otherComments) = try await content(deployment)
                #expect(otherItems == items && otherComments == comments && !comments.isEmpty)
            }
        }
    }

    private static let id = "5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D01"

    @Test(arguments: [
        ("urn:sha256:00", true), ("http://127.0.0.1:8080/v1/image/\(id)/data", true),
        ("https://example.org/feed/v1/image/\(id.lowercased())/data", true),
        ("https://example.org/v1/image/5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D02/data", false),
        ("https://example.org/a.jpg", false),
    ])
    func `a manifest has nothing that an import derives from the bytes`(image: String, isDerived: Bool) throws {
        let id = try #require(UUID(uuidString: Self.id))
        let hints = PictureHints(width: 4, height: 3)
        let item = FeedItem(id: id, image: image, hints: hints)
        let entry = ImportEntry(item, file: "a.jpg", comments: [])
        #expect(entry.image == (isDerived ? nil : image) && entry.hints == PictureHints())
        let withoutBytes = ImportEntry(item, file: nil, comments: [])
        #expect(withoutBytes.image == image && withoutBytes.hints == hints)
    }

    /// The items and their comments.
    private func content(_ deployment: Deployment) async throws -> (items: String, comments: [String]) {
        let items = try await deployment.gateway("call", "feed.load", "limit=100").output
        var comments: [String] = []
        for id in items.matches(of: /\{"id":"([0-9A-F-]{36})"/).map(\.output.1) {
            comments.append(try await deployment.gateway("call", "comments.list", "image_id=\(id)").output)
        }
        // A placeholder needs time that a busy machine may not have.
        let other = items.replacing(/,?"placeholder":"[^"]*"/, with: "")
        return (other, comments.filter { !$0.contains(#""items":[]"#) })
    }

    @Test func `an image without bytes is listed with its URL`() async throws {
        try await Deployment.with(imageData: ["--no-fetch"]) { deployment in
            let id = UUID().uuidString
            _ = try await deployment.gateway("publish", "https://example.org/a.jpg", "--unchecked", "--id", id)
            let folder = deployment.root + "/export"
            let exported = try await deployment.gateway("export", folder)
            #expect(exported.status == 65 && exported.errors.contains(id), "\(exported.errors)")
            let entries = try ImportFolder(path: folder).contents().entries
            #expect(entries.map(\.image) == ["https://example.org/a.jpg"] && entries.map(\.file) == [nil])
            let imported = try await deployment.gateway("import", folder)
            #expect(imported.output == "0 published, 1 already present, 0 refused\n", "\(imported.errors)")
        }
    }

    @Test func `a folder with other files is refused, an empty one and an earlier export are not`() async throws {
        try await withTemporaryDirectory { root in
            let folder = ExportFolder(path: root + "/a")
            try folder.prepare()
            try folder.write(Data("a".utf8), to: "a.jpg")
            try folder.prepare()
            let other = root + "/b"
            try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
            try ExportFolder(path: other).prepare()
            let error = #expect(throws: CommandFailure.self) { try ExportFolder(path: root).prepare() }?.error
            #expect(error?.kind == .alreadyExists && error?.message.contains("has other files") == true)
            let nowhere = #expect(throws: CommandFailure.self) { try ExportFolder(path: root + "/x/y").prepare() }
            #expect(
                nowhere?.error.message.contains("its folder does not exist") == true && nowhere?.exitCode == EX_IOERR)
        }
    }

    @Test func `an interrupted export leaves the last manifest`() async throws {
        try await withTemporaryDirectory { root in
            let folder = ExportFolder(path: root)
            let path = root + "/manifest.json"
            var entry = ImportEntry(
                file: "a.jpg", id: nil, description: "á\n", location: nil, comments: [], image: nil)
            entry.stated = ["file", "description"]
            do {
                let manifest = try folder.beginManifest()
                try manifest.add(entry)
                try manifest.add(entry)
                #expect(!FileManager.default.fileExists(atPath: path))
                try manifest.finish()
            }
            #expect(try ImportFolder(path: root).contents().entries == [entry, entry])
            try folder.beginManifest().add(entry)
            #expect(try ImportFolder(path: root).contents().entries == [entry, entry])
        }
    }
}
