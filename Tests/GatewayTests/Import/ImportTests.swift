import Foundation
import Processes
import RPC
import RPCTestKit
import Testing

@testable import gateway

@Suite(.deployment()) struct ImportTests {
    private let deployment = Deployment.ofSuite

    /// The sample: a folder of images in every checkout.
    private static let sample = Program.repository + "/deploy/sample"

    @Test func `the sample is imported in its order, byte for byte, and importing twice changes nothing`() async throws
    {
        try await Deployment.with { deployment in
            let entries = try ImportFolder(path: Self.sample).contents().entries
            let first = try await deployment.gateway("import", Self.sample)
            #expect(first.status == 0, "\(first.errors)")
            #expect(first.output == "\(entries.count) published, 0 already present, 0 refused\n")
            let second = try await deployment.gateway("import", Self.sample, "--json")
            #expect(second.output.contains("\"present\":\(entries.count)"))

            let feed = try FeedJSON(try await deployment.gateway("feed", "--limit", "100", "--json").output)
            #expect(feed.items.count == entries.count)
            for (item, entry) in zip(feed.items, entries) {
                let image = try await deployment.gateway("image", item.id)
                #expect(image.bytes == FileManager.default.contents(atPath: "\(Self.sample)/\(entry.name)"))
            }
            let commented = try #require(entries.firstIndex { !$0.comments.isEmpty })
            let comments = try await deployment.gateway("comments", feed.items[commented].id, "--json")
            #expect(comments.output.contains(entries[commented].comments[0].username))
        }
    }

    /// A complete PNG of 40 × 30 whose compressed pixels are damaged: it is accepted, and libvips cannot read it.
    private static let damaged =
        "iVBORw0KGgoAAAANSUhEUgAAACgAAAAeCAIAAADRv8uKAAAACElEQVRnYXJiYWdlISZe+ewAAAAASUVORK5CYII="

    @Test func `imported items have the sizes and placeholders of their pictures, if they can be read`() async throws {
        try await Deployment.with { deployment in
            try await withTemporaryDirectory { folder in
                let photo = try #require(FileManager.default.contents(atPath: Self.sample + "/lighthouse.jpg"))
                let damaged = try #require(Data(base64Encoded: Self.damaged))
                for (name, data) in ["a.jpg": photo, "b.png": damaged] {
                    try data.write(to: URL(filePath: "\(folder)/\(name)"))
                }
                let outcome = try await deployment.gateway("import", folder)
                #expect(outcome.status == 0 && outcome.output == "2 published, 0 already present, 0 refused\n")
                let stored = try await deployment.gateway("call", "feed.load", "{}").output
                let items = try #require(
                    (try JSONSerialization.jsonObject(with: Data(stored.utf8)) as? [String: Any])?["items"]
                        as? [[String: Any]])
                #expect(items.map { $0["width"] as? Int } == [576, 40])
                #expect(items.map { $0["height"] as? Int } == [720, 30])
                // The first one has a placeholder too, unless the machine needs two seconds to make it.
                #expect(items.last?["placeholder"] == nil)
            }
        }
    }

    @Test func `texts in files are published, and change nothing of what an earlier version published`() async throws {
        try await Deployment.with { deployment in
            try await withTemporaryDirectory { folder in
                let photo = try #require(FileManager.default.contents(atPath: Self.sample + "/lighthouse.jpg"))
                let packet = Containers.xmp(
                    "<dc:description>A tower</dc:description><dc:creator>Ana</dc:creator><dc:subject>sea</dc:subject>")
                let segment = Containers.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + packet)
                try (photo.prefix(2) + segment + photo.dropFirst(2)).write(to: URL(filePath: "\(folder)/a.jpg"))
                let first = try await deployment.gateway("import", folder)
                #expect(first.status == 0 && first.output == "1 published, 0 already present, 0 refused\n")
                let feed = try await deployment.gateway("call", "feed.load", "{}").output
                for member in [#""description":"A tower""#, #""credit":"Ana""#, #""tags":["sea"]"#] {
                    #expect(feed.contains(member), "\(feed)")
                }
                #expect(try await deployment.gateway("import", folder).output.hasPrefix("0 published, 1 already"))
                // As it was published before texts were read.
                let item = try #require(try FeedJSON(feed).items.first)
                _ = try await deployment.gateway("remove", item.id)
                let earlier = #"{"items":[{"id":"\#(item.id)","description":"a","image":"\#(item.image)"}]}"#
                #expect(try await deployment.gateway("call", "feed.publish", earlier).status == 0)
                for options in [["--dry-run"], []] {
                    let second = try await deployment.gateway(["import", folder] + options)
                    #expect(second.status == 0 && second.output.contains("0 already") == false, "\(second.errors)")
                    #expect(second.errors.contains("without all their tags and texts"), "\(second.errors)")
                }
            }
        }
    }

    @Test func `rejected files are listed, the others are imported, and the exit code is 65`() async throws {
        try await withTemporaryDirectory { folder in
            // Not a picture of another test here, because the deployment knows the placeholders of its pictures.
            let picture = try #require(FileManager.default.contents(atPath: Self.sample + "/dunes.jpg"))
            let files: [String: Data] = [
                "good\nname 🌇.jpg": picture, "empty.png": Data(), "cut.jpg": picture.dropLast(100),
                "words.jpg": Data("no picture".utf8), "huge.jpg": Data(count: 6_000_001),
            ]
            for (name, data) in files { try data.write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
            let outcome = try await deployment.gateway("import", folder)
            #expect(outcome.status == 65)
            #expect(outcome.output == "1 published, 0 already present, 4 refused\n")
            for name in ["empty.png", "cut.jpg", "words.jpg", "huge.jpg"] { #expect(outcome.errors.contains(name)) }
            #expect(outcome.errors.contains("6000001") && outcome.errors.contains("6000000"))
            let spanish = try await deployment.gateway("import", folder, "--locale", "es")
            #expect(spanish.errors.contains("words.jpg: no es una imagen que se pueda leer\n"), "\(spanish.errors)")
            #expect(spanish.errors.contains("huge.jpg: El contenido es demasiado grande\n"), "\(spanish.errors)")
            let json = try await deployment.gateway("import", folder, "--json")
            #expect(json.status == 65 && json.errors.isEmpty)
            #expect(
                json.output.hasPrefix(#"{"published":0,"present":1,"comments":0,"refused":4,"refusals":[{"file":"#))
            for name in ["empty.png", "cut.jpg", "words.jpg", "huge.jpg"] { #expect(json.output.contains(name)) }
            let feed = try await deployment.gateway("feed")
            #expect(feed.output.contains("good – name 🌇"))
        }
    }

    @Test func `of many files that are refused for the same reason, the first ones are named`() async throws {
        try await withTemporaryDirectory { folder in
            for index in 0..<9 { try Data("no".utf8).write(to: URL(filePath: "\(folder)/\(index).jpg")) }
            let outcome = try await deployment.gateway("import", folder)
            #expect(outcome.status == 65 && outcome.output == "0 published, 0 already present, 9 refused\n")
            let lines = outcome.errors.split(separator: "\n")
            #expect(lines.count == RefusalLines.perReason + 1, "\(outcome.errors)")
            #expect(lines.last?.contains("and 4 more, for the same reason as ") == true, "\(outcome.errors)")
            let json = try await deployment.gateway("import", folder, "--json").output
            #expect((0..<9).allSatisfy { json.contains("\"\($0).jpg\"") })
        }
    }

    @Test func `a dry run says what an import would do, and changes nothing`() async throws {
        try await Deployment.with { deployment in
            try await withTemporaryDirectory { folder in
                let photo = try #require(FileManager.default.contents(atPath: Self.sample + "/lighthouse.jpg"))
                for (name, data) in ["a.jpg": photo, "b.jpg": photo, "c.jpg": Data("no".utf8), "Thumbs.db": Data()] {
                    try data.write(to: URL(filePath: "\(folder)/\(name)"))
                }
                func run(_ options: String...) async throws -> Program.Outcome {
                    try await deployment.gateway(["import", folder] + options)
                }
                let first = try await run("--dry-run")
                #expect(first.output == "a.jpg\nb.jpg\n2 would be published, 0 already present, 1 refused\n")
                #expect(first.status == 65 && first.errors.contains("c.jpg: ") && first.errors.contains("1 hidden"))
                #expect(try FeedJSON(try await deployment.gateway("feed", "--json").output).items.isEmpty)
                #expect(try await run("--dry-run", "--json").output.contains(#""planned":["a.jpg","b.jpg"]"#))
                _ = try await run()
                let second = try await run("--dry-run")
                #expect(second.output == "0 would be published, 2 already present, 1 refused\n")
            }
        }
    }

    @Test func `a dry run announces what the import does`() async throws {
        try await Deployment.with { deployment in
            try await withTemporaryDirectory { folder in
                let photo = try #require(FileManager.default.contents(atPath: Self.sample + "/lighthouse.jpg"))
                try photo.write(to: URL(filePath: folder + "/a.jpg"))
                try photo.dropLast(400).write(to: URL(filePath: folder + "/cut.jpg"))
                let id = UUID().uuidString
                /// Imports the list, first without effect.
                func outcomes(_ list: String) async throws -> [[String: Any]] {
                    try Data(list.utf8).write(to: URL(filePath: folder + "/manifest.json"))
                    var outcomes: [[String: Any]] = []
                    for options in [["--dry-run"], []] {
                        let outcome = try await deployment.gateway(["import", folder, "--json"] + options)
                        let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
                        var members = try #require(json as? [String: Any])
                        members["planned"] = nil
                        members["status"] = outcome.status
                        outcomes.append(members)
                    }
                    return outcomes
                }
                func image(_ members: String) -> String { #"{"file":"a.jpg","id":"\#(id)",\#(members)}"# }
                let comment = #"{"username":"ana","message":"Nice"}"#
                let lists = [
                    #"[{"file":"cut.jpg"}]"#,
                    #"[{"file":"a.jpg","location":"\#(String(repeating: "x", count: 1_001))"}]"#,
                    #"[{"file":"a.jpg","comments":[\#(comment),{"username":"ana","message":" "}]}]"#,
                    "[\(image(#""title":"Lighthouse""#))]", "[\(image(#""title":"Lighthouse","credit":"Ana""#))]",
                    "[\(image(#""title":"Lighthouse","credit":"Eva""#))]",
                    "[\(image(#""title":"Lighthouse","tags":["sea"]"#))]",
                ]
                for list in lists {
                    let both = try await outcomes(list)
                    #expect(NSDictionary(dictionary: both[0]) == NSDictionary(dictionary: both[1]), "\(both)")
                }
            }
        }
    }

    @Test(arguments: [
        ([String: String](), "there is neither a manifest.json nor a file with the name of a picture"),
        (["notes.txt": ""], "there is neither a manifest.json nor a file with the name of a picture"),
        ([".hidden.jpg": ""], "there is neither a manifest.json nor a file with the name of a picture"),
        (["manifest.json": "[]"], "manifest.json lists none"),
    ])
    func `a folder without any image exits 66 and says what was looked for`(
        files: [String: String], reason: String
    ) async throws {
        try await withTemporaryDirectory { folder in
            for (name, text) in files { try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)")) }
            let outcome = try await deployment.gateway("import", folder)
            #expect(outcome.status == 66 && outcome.output.isEmpty)
            #expect(outcome.errors.contains("no image in folder \(folder): "), "\(outcome.errors)")
            #expect(outcome.errors.contains(reason), "\(outcome.errors)")
        }
    }

    @Test func `a comment that cannot be read is refused without its image and the other comments`() async throws {
        try await withTemporaryDirectory { folder in
            let id = UUID().uuidString
            let comments = #"{"message":"by nobody"},"text",{"username":"ana","message":"Nice"}"#
            try Data(#"[{"image":"https://example.org/a.jpg","id":"\#(id)","comments":[\#(comments)]}]"#.utf8)
                .write(to: URL(filePath: folder + "/manifest.json"))
            let outcome = try await deployment.gateway("import", folder)
            #expect(outcome.status == 65 && outcome.output == "1 published, 0 already present, 2 refused\n")
            #expect(outcome.errors.contains("a.jpg: comment 1: username"), "\(outcome.errors)")
            #expect(outcome.errors.contains("a.jpg: comment 2: "), "\(outcome.errors)")
            let listed = try await deployment.gateway("call", "comments.list", "image_id=\(id)").output
            #expect(listed.contains("Nice") && !listed.contains("nobody"), "\(listed)")
        }
    }

    /// A HEIC picture without a visible pixel.
    private static let clear = """
        AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAmttZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAADRpbG9jAA
        AAAERAAAIAAQAAAAACjwABAAAAAAAAACIAAgAAAAACsQABAAAAAAAAACEAAAA4aWluZgAAAAAAAgAAABVpbmZlAgAAAAABAABodmMxAAAAABVp
        bmZlAgAAAAACAABodmMxAAAAAA5waXRtAAAAAAABAAABqmlwcnAAAAGCaXBjbwAAAHVodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGE
        ABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQApQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbqrprm4CGgwIAAAAyAAAADAIRiAAEABkQBwXPBiQAA
        ABNjb2xybmNseAABAA0ABoAAAAAUaXNwZQAAAAAAAABAAAAAQAAAAChjbGFwAAAAEAAAAAEAAAAQAAAAAf///9AAAAAC////0AAAAAIAAAAQcG
        l4aQAAAAADCAgIAAAAcWh2Y0MBBAgAAACf+AAAAAAe8AD8/Pj4AAAPA2AAAQAXQAEMAf//BAgAAAMAn/gAAAMAAB66AkBhAAEAJkIBAQQIAAAD
        AJ/4AAADAAAewIIEFluqumubAgAAAwAyAAADAAIQYgABAAZEAcFzwYkAAAAOcGl4aQAAAAABCAAAACdhdXhDAAAAAHVybjptcGVnOmhldmM6Mj
        AxNTphdXhpZDoxAAAAACBpcG1hAAAAAAAAAAIAAQWBAgMFhAACBYYDB4iEAAAAGmlyZWYAAAAAAAAADmF1eGwAAgABAAEAAABLbWRhdAAAAB4o
        Aa8EEhJM4PgETmP+6VRVASCs6LR0ociXEJO7asAAAAAdKAGuCCQkGcDbKDSP90rLluSyoQHwpodtwJcoqIA=
        """

    @Test func `transparent parts of a HEIC picture become white`() async throws {
        try await withTemporaryDirectory { folder in
            let bytes = try #require(Data(base64Encoded: Self.clear, options: .ignoreUnknownCharacters))
            try bytes.write(to: URL(filePath: folder + "/a.heic"))
            let jpeg = try await PictureFile(path: folder + "/a.heic").prepared(keepingPosition: false).data
            let program = try #require(VipsThumbnail(in: "/usr/local/bin:/usr/bin"), "install libvips-tools")
            let pixels = try await program.run(jpeg, size: "2x2!", output: ".ppm", maximumBytes: 100).suffix(12)
            #expect(pixels.allSatisfy { $0 > 250 })
        }
    }

    @Test(arguments: [16, 18]) func `a HEIC picture in HDR is refused, because libvips would change its colours`(
        transfer: UInt8
    ) async throws {
        try await withTemporaryDirectory { folder in
            var bytes = try #require(Data(base64Encoded: Self.clear, options: .ignoreUnknownCharacters))
            let place = try #require(bytes.range(of: Data("nclx".utf8))?.upperBound)
            bytes.replaceSubrange(place..<place + 6, with: [0, 9, 0, transfer, 0, 9])
            try bytes.write(to: URL(filePath: folder + "/a.heic"))
            let error = await #expect(throws: RPCError.self) {
                try await PictureFile(path: folder + "/a.heic").prepared(keepingPosition: false)
            }
            #expect(error?.kind == .invalidData && error?.message.contains("HDR") == true)
            #expect(error?.message.contains("convert it to JPEG first") == true)
        }
    }

    @Test func `a comment without an id is the same one beside an equal one with an id`() async throws {
        try await withTemporaryDirectory { folder in
            let id = UUID().uuidString
            func count(_ comments: String...) async throws -> Int {
                let list =
                    #"[{"image":"https://example.org/a.jpg","id":"\#(id)","comments":[\#(comments.joined(separator: ","))]}]"#
                try Data(list.utf8).write(to: URL(filePath: folder + "/manifest.json"))
                #expect(try await deployment.gateway("import", folder).status == 0)
                let listed = try await deployment.gateway("call", "comments.list", "image_id=\(id)").output
                return listed.components(separatedBy: "Nice").count - 1
            }
            let text = #""username":"ana","message":"Nice""#
            let (bare, named) = ("{\(text)}", "{\(text),\"id\":\"\(UUID().uuidString)\"}")
            let counts = [try await count(bare), try await count(named, bare), try await count(bare, named, bare)]
            #expect(counts == [1, 2, 3])
        }
    }

    @Test func `the comments of a refused image are not imported`() async throws {
        try await withTemporaryDirectory { folder in
            let id = UUID().uuidString
            func write(_ description: String, _ message: String) throws {
                let comment = #"{"username":"ana","message":"\#(message)"}"#
                let image = #""image":"https://example.org/a.jpg","id":"\#(id)","description":"\#(description)""#
                try Data("[{\(image),\"comments\":[\(comment)]}]".utf8)
                    .write(to: URL(filePath: folder + "/manifest.json"))
            }
            try write("Lisbon", "Lovely!")
            #expect(try await deployment.gateway("import", folder).status == 0)
            try write("Porto", "About another image")
            let outcome = try await deployment.gateway("import", folder)
            #expect(outcome.status == 65 && outcome.output == "0 published, 0 already present, 1 refused\n")
            #expect(outcome.errors.contains("to replace it, run gateway remove \(id) and import again"))
            let comments = try await deployment.gateway("call", "comments.list", "image_id=\(id)").output
            #expect(comments.contains("Lovely!") && !comments.contains("another"), "\(comments)")
        }
    }

    @Test func `an import that cannot continue prints what it has done, and how to continue`() async throws {
        try await Deployment.with { deployment in
            let feed = try deployment.program("feed")
            feed.send(SIGKILL)
            _ = await feed.ended()
            let outcome = try await deployment.gateway("import", Self.sample)
            #expect(outcome.status == 69 && outcome.output == "0 published, 0 already present, 0 refused\n")
            #expect(outcome.errors.contains("Run the same command again to import the rest"), "\(outcome.errors)")
            #expect(outcome.errors.contains("trace id"), "\(outcome.errors)")
        }
    }

    @Test func `an unreadable folder is reported with the reason and the remedy`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder + "/a.jpg"
            try Data().write(to: URL(fileURLWithPath: file))
            for (path, words) in [
                (folder + "/none", "it does not exist; check the path"),
                (file, "it is not a folder; name the folder of the images"),
            ] {
                #expect(throws: RPCError(.notFound, "cannot read folder \(path): \(words)", begun: false)) {
                    try ImportFolder(path: path).contents().entries
                }
            }
        }
    }

    @Test func `a file of 100 MB is rejected without being read`() async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/huge.jpg"
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            truncate(path, 100 * 1_024 * 1_024)
            #expect { try PictureFile(path: path).read() } throws: { "\($0)".contains("104857600") }
        }
    }

    @Test(arguments: ["manifest.json", "outbox.json"])
    func `a list of more than 1 GiB is rejected without being read`(list: String) async throws {
        try await withTemporaryDirectory { folder in
            let path = folder + "/" + list
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            truncate(path, (1 << 30) + 1)
            let message = "file \(path) has 1073741825 bytes, the limit is 1073741824"
            #expect(throws: RPCError(.tooLarge, message, begun: false)) {
                try ImportFolder(path: folder).contents().entries
            }
        }
    }

    @Test(arguments: ["../secret.jpg", "/etc/passwd", "a/../../b.jpg", ""])
    func `a manifest may name only files in its folder`(_ file: String) throws {
        #expect { try ImportFolder(path: "/tmp").picture(file) } throws: { "\($0)".contains("in the folder") }
    }

    @Test(arguments: [
        ("[", "manifest.json"), ("{}", "must be an array"), (#"[{"title":"no file"}]"#, "[0].file"),
        (#"[{"file":"a.jpg","id":"x"}]"#, "[0].id"),
    ])
    func `an invalid manifest is rejected with the position of the error`(_ text: String, _ place: String) async throws
    {
        try await withTemporaryDirectory { folder in
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/manifest.json"))
            #expect { try ImportFolder(path: folder).contents().entries } throws: { "\($0)".contains(place) }
        }
    }

    @Test func `an entry of a manifest that is not valid does not stop the others`() async throws {
        try await withTemporaryDirectory { folder in
            let manifest = #"[{"file":"a.jpg","source":"mine"},{"file":"b.jpg","credit":"Ana"},{},null,["a.jpg"]]"#
            try Data(manifest.utf8).write(to: URL(filePath: folder + "/manifest.json"))
            let entries = try ImportFolder(path: folder).contents().entries
            #expect(entries.map(\.file) == ["a.jpg", "b.jpg", nil, nil, nil])
            #expect(entries[0].refusal?.hasPrefix("manifest.json: [0].source: must be a URL") == true)
            #expect(entries[1].refusal == nil && entries[1].details.credit == "Ana")
            #expect(entries[2].refusal?.hasPrefix("manifest.json: [2].file: must be there") == true)
            for index in [3, 4] { #expect(entries[index].refusal == "manifest.json: [\(index)]: must be an object") }
        }
    }

    @Test(arguments: [
        (String.Encoding.windowsCP1252, "Ana São “Olá” é"), (.isoLatin1, "Ána é"), (.utf16LittleEndian, "Olá 🌅"),
        (.utf16BigEndian, "Olá 🌅"), (.utf8, "Olá 🌅"),
    ])
    func `a manifest that a person has saved in another encoding is read`(
        encoding: String.Encoding, text: String
    ) async throws {
        try await withTemporaryDirectory { folder in
            let manifest = #"[{"file":"a.jpg","description":"\#(text)"}]"#
            let bytes = try #require(manifest.data(using: encoding))
            try bytes.write(to: URL(filePath: folder + "/manifest.json"))
            let contents = try ImportFolder(path: folder).contents()
            #expect(contents.entries.map(\.description) == [text] && contents.notes.isEmpty)
        }
    }

    @Test(arguments: [[0xE9, 0x20, 0xC3, 0xA9], [0xF0, 0x9F], [0x81]] as [[UInt8]])
    func `a broken character in a manifest of UTF-8, or of no encoding, becomes a replacement character`(
        bytes: [UInt8]
    ) async throws {
        try await withTemporaryDirectory { folder in
            let manifest = Data(#"[{"file":"a.jpg","description":"a"#.utf8) + bytes + Data(#" b"}]"#.utf8)
            try manifest.write(to: URL(filePath: folder + "/manifest.json"))
            let contents = try ImportFolder(path: folder).contents()
            #expect(contents.entries.first?.description?.contains("\u{FFFD}") == true)
            #expect(contents.notes == [.damagedText: 1])
        }
    }

    @Test func `the name of a manifest may be in another case`() async throws {
        try await withTemporaryDirectory { folder in
            try Data(#"[{"file":"a.jpg","credit":"Ana"}]"#.utf8).write(to: URL(filePath: folder + "/Manifest.JSON"))
            #expect(try ImportFolder(path: folder).contents().entries.map(\.details.credit) == ["Ana"])
        }
    }

    @Test func `an image of a manifest keeps its date of publishing and its placeholder`() async throws {
        try await withTemporaryDirectory { folder in
            let ids = try Self.fill(
                folder, #","published_at":"2020-02-29T12:00:00Z","placeholder":"EQAAAA=="}"#, count: 1)
            let outcome = try await deployment.gateway("import", folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let stored = try await deployment.gateway("call", "feed.get", "id=\(ids[0])").output
            #expect(stored.contains(#""published_at":"2020-02-29T12:00:00Z""#))
            #expect(stored.contains(#""width":576,"height":720,"placeholder":"EQAAAA==""#))
        }
    }

    @Test func `an image below the first hundred does not wait for its placeholder`() async throws {
        try await Deployment.with { deployment in
            try await withTemporaryDirectory { folder in
                let ids = try Self.fill(folder, "}", count: 101)
                let outcome = try await deployment.gateway("import", folder)
                #expect(outcome.output == "101 published, 0 already present, 0 refused\n", "\(outcome.errors)")
                let last = try await deployment.gateway("call", "feed.get", "id=\(ids[100])").output
                #expect(last.contains(#""width":576,"height":720}"#), "\(last)")
            }
        }
    }

    /// Writes a picture, and a manifest that lists it under so many ids, each entry with the same rest.
    private static func fill(_ folder: String, _ rest: String, count: Int) throws -> [UUID] {
        let photo = try #require(FileManager.default.contents(atPath: sample + "/lighthouse.jpg"))
        try photo.write(to: URL(filePath: folder + "/a.jpg"))
        let ids = (0..<count).map { _ in UUID() }
        let entries = ids.map { #"{"file":"a.jpg","id":"\#($0)""# + rest }
        try Data("[\(entries.joined(separator: ","))]".utf8).write(to: URL(filePath: folder + "/manifest.json"))
        return ids
    }

    @Test(arguments: [
        (#""title":"A""#, "A"), (#""title":"A","description":"B""#, "A\nB"),
        (#""title":"A","description":"A b""#, "A b"), (#""title":"Sun","description":"Sunset""#, "Sun\nSunset"),
        (#""description":"B""#, "B"), (#""title":null,"description":"B","more":1"#, "B"), (#""licence":"CC0""#, nil),
    ])
    func `a title is the first line of the description`(members: String, description: String?) async throws {
        try await withTemporaryDirectory { folder in
            try Data(#"[{"file":"a.jpg",\#(members)}]"#.utf8).write(to: URL(fileURLWithPath: folder + "/manifest.json"))
            #expect(try ImportFolder(path: folder).contents().entries.map(\.description) == [description])
        }
    }

    @Test func `ids are name-based as in RFC 9562`() {
        let dns = UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")!
        #expect(UUID(namespace: dns, name: "www.example.com").uuidString == "2ED6657D-E927-568B-95E1-2665A8AEA6A2")
    }
}
