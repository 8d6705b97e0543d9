import BenchKit
import Foundation

/// The pictures to measure with.
struct Photos: Sendable {
    let folder: String
    private let files: [URL]

    init(_ folder: String) throws {
        self.folder = folder
        files = try FileManager.default.contentsOfDirectory(
            at: URL(fileURLWithPath: folder), includingPropertiesForKeys: nil)
    }

    /// Publishes the pictures in a running deployment, as users do.
    func publish(to root: String) throws {
        let importing = try ChildProcess.start([try Programs.path("gateway"), "import", folder, "--root", root])
        // Refused pictures are not measured.
        if case .late = importing.end(within: Self.secondsToPublish) {
            throw Failure("importing \(folder) takes too long")
        }
    }

    private static let secondsToPublish = 600.0

    /// The bytes of all pictures.
    func all() throws -> [Data] {
        try files.filter { Self.kinds.contains($0.pathExtension.lowercased()) }.map { try Data(contentsOf: $0) }
    }

    private static let kinds = ["jpg", "jpeg", "png", "gif", "webp", "avif"]

    /// The JPEG with the nearest size.
    func jpeg(near size: Int) throws -> Data {
        let jpegs = try files.filter { $0.pathExtension.lowercased() == "jpg" }.map { try Data(contentsOf: $0) }
        guard let nearest = jpegs.min(by: { abs($0.count - size) < abs($1.count - size) }) else {
            throw Failure("\(folder) has no JPEG")
        }
        return nearest
    }
}

/// Makes any number of different pictures, by a number in a comment.
enum NumberedPicture {
    private static func comment(_ number: Int) -> Data { Data(String(format: "%08d", number).utf8) }

    static func jpeg(_ picture: Data, _ number: Int) -> Data {
        let text = comment(number)
        // Insert a comment segment after the start marker. Its length includes the length field.
        return picture.prefix(2) + Data([0xFF, 0xFE, 0, UInt8(text.count + 2)]) + text + picture.dropFirst(2)
    }

    /// A GIF of one pixel.
    static func gif(_ number: Int) -> Data {
        let text = comment(number)
        let header = Data("GIF89a".utf8) + Data([1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255])
        let frame = Data([0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B])
        return header + Data([0x21, 0xFE, UInt8(text.count)]) + text + Data([0]) + frame
    }
}
