import CZlib
import Foundation
import RPC

/// The chunks of metadata in a PNG file.
enum PNGChunks {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func metadata(in bytes: [UInt8]) -> [MetadataBlock] {
        var room = maximumInflated
        let contents = chunks(in: bytes)
        let blocks = contents.compactMap { content -> MetadataBlock? in
            let chunk = content.lowerBound - 8..<content.upperBound + 4
            switch String(decoding: bytes[content.lowerBound - 4..<content.lowerBound], as: UTF8.self) {
            case "eXIf": return MetadataBlock(kind: .exif, place: .ranges([content]))
            case "zxIf", "zXIf": return compressedExif(in: bytes, chunk, &room)
            case "tEXt", "zTXt", "iTXt": return text(in: bytes, content, chunk, &room)
            default: return nil
            }
        }
        return blocks + MetadataBlock.video(in: bytes, from: (contents.last?.upperBound ?? bytes.count) + 4)
    }

    /// Where the contents of the chunks are.
    private static func chunks(in bytes: [UInt8]) -> [Range<Int>] {
        guard bytes.starts(with: signature) else { return [] }
        var (contents, start) = ([Range<Int>](), signature.count)
        while let length = bytes.bigEndian(at: start, 4), length <= bytes.count - start - 12 {
            contents.append(start + 8..<start + 8 + length)
            start += 12 + length
        }
        return contents
    }

    /// A chunk has a checksum (PNG 3rd edition, §5.3). Those of other chunks stay, also wrong ones.
    static func updateChecksums(in bytes: inout [UInt8], of changed: [Range<Int>]) {
        guard !changed.isEmpty else { return }
        var rest = changed.sorted { $0.lowerBound < $1.lowerBound }[...]
        for chunk in chunks(in: bytes) {
            rest = rest.drop { $0.upperBound <= chunk.lowerBound }
            guard let first = rest.first, first.overlaps(chunk) else { continue }
            let sum = Bytes(Data(bytes[chunk.lowerBound - 4..<chunk.upperBound])).crc32
            withUnsafeBytes(of: sum.bigEndian) {
                bytes.replaceSubrange(chunk.upperBound..<chunk.upperBound + 4, with: $0)
            }
        }
    }

    // MARK: Texts

    /// Profiles without a position.
    private static let colours = ["icc", "icm"]

    private static func text(
        in bytes: [UInt8], _ content: Range<Int>, _ chunk: Range<Int>, _ room: inout Int
    ) -> MetadataBlock? {
        guard let end = bytes[content].firstIndex(of: 0) else { return nil }
        let keyword = String(decoding: bytes[content.lowerBound..<end], as: UTF8.self)
        let isXMP = keyword == "XML:com.adobe.xmp"
        let name = keyword.lowercased()
        let isProfile = name.hasPrefix("raw profile type")
        let kind: MetadataBlock.Kind = isXMP ? .xmp : .text(keyword: name)
        if isProfile, colours.contains(where: name.hasSuffix) { return nil }
        let removed = MetadataBlock(kind: .position, place: .packed(chunk, [], repack: { _ in [] }))
        // As other programs write the members of Exif.
        if ["gpslat", "gpslon", "gpspos", "latitude", "longitude"].contains(where: name.contains) { return removed }
        var (start, isCompressed) = (end + 1, bytes.has("zTXt", at: chunk.lowerBound + 4))
        if isCompressed {
            // The method, of which there is one.
            start += 1
        } else if bytes.has("iTXt", at: chunk.lowerBound + 4) {
            isCompressed = start < content.upperBound && bytes[start] != 0
            // Behind the flag and the method, a language and a keyword in it.
            guard start + 2 <= content.upperBound,
                let language = bytes[start + 2..<content.upperBound].firstIndex(of: 0),
                let other = bytes[language + 1..<content.upperBound].firstIndex(of: 0)
            else { return nil }
            start = other + 1
        }
        guard start <= content.upperBound else { return nil }
        let text = start..<content.upperBound
        guard isCompressed || isProfile else {
            return MetadataBlock(kind: kind, place: .ranges([text]))
        }
        guard let plain = isCompressed ? inflated(bytes[text], &room) : Array(bytes[text]) else {
            // A text that is not readable here is not readable elsewhere; metadata may be.
            return isXMP || isProfile ? removed : nil
        }
        let head = Array(bytes[chunk.lowerBound + 4..<start])
        func repacked(_ plain: [UInt8]) -> [UInt8] { packed(head + (isCompressed ? deflated(plain) : plain)) }
        guard isProfile else {
            return MetadataBlock(kind: kind, place: .packed(chunk, plain, repack: repacked))
        }
        let profile = HexadecimalProfile(plain)
        let profileKind: MetadataBlock.Kind =
            if name.hasSuffix("xmp") || profile.bytes.has("http://ns.adobe.com/xap", at: 0) {
                .xmp
            } else if profile.bytes.has("8BIM", at: 0) {
                .photoshop
            } else {
                .exif
            }
        return MetadataBlock(
            kind: profileKind, place: .packed(chunk, profile.bytes, repack: { repacked(profile.text(of: $0)) }))
    }

    /// The fields of the keywords that are for readers (PNG 3rd edition, §11.3.3.2).
    private static let keywords: [String: PictureText] = [
        "title": .title, "description": .description, "author": .creator, "copyright": .rights, "source": .source,
    ]

    static func texts(of content: [UInt8], keyword: String) -> PictureText.Source {
        PictureText.Source(
            .plain, keywords[keyword].map { [$0: [PictureText.decoded(content[...])]] } ?? [:])
    }

    /// Exif behind a zero and its length, compressed.
    private static func compressedExif(in bytes: [UInt8], _ chunk: Range<Int>, _ room: inout Int) -> MetadataBlock? {
        let start = chunk.lowerBound + 8 + 5
        guard start <= chunk.upperBound - 4, let exif = inflated(bytes[start..<chunk.upperBound - 4], &room) else {
            return MetadataBlock(kind: .position, place: .packed(chunk, [], repack: { _ in [] }))
        }
        let head = Array(bytes[chunk.lowerBound + 4..<start])
        return MetadataBlock(kind: .exif, place: .packed(chunk, exif, repack: { packed(head + deflated($0)) }))
    }

    // MARK: Compression

    /// - Parameter named: the name of a chunk and its content.
    private static func packed(_ named: [UInt8]) -> [UInt8] {
        func number(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
        return number(UInt32(named.count - 4)) + named + number(Bytes(Data(named)).crc32)
    }

    private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var length = compressBound(uLong(bytes.count))
        return [UInt8](unsafeUninitializedCapacity: Int(length)) { target, count in
            // With enough room, it fails only without memory.
            count = compress(target.baseAddress, &length, bytes, uLong(bytes.count)) == Z_OK ? Int(length) : 0
        }
    }

    /// The size of all inflated metadata of a file; more are not looked into.
    private static let maximumInflated = 8 << 20

    /// Nil for what is damaged or too long.
    private static func inflated(_ bytes: ArraySlice<UInt8>, _ room: inout Int) -> [UInt8]? {
        let source = Array(bytes)
        let inflated = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { target -> [UInt8]? in
            var length = uLongf(target.count)
            guard uncompress(target.baseAddress, &length, source, uLong(source.count)) == Z_OK else { return nil }
            return Array(target.prefix(Int(length)))
        }
        room -= inflated?.count ?? 0
        return inflated
    }
}
