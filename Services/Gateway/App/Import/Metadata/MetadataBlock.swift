import Glibc

/// A part of a picture's file that is metadata.
struct MetadataBlock {
    enum Kind: Equatable {
        case exif
        case xmp

        /// Photoshop's resources, which may have both.
        case photoshop

        /// The video of a moving picture.
        case video

        /// The records of a thermal camera.
        case thermal

        /// The records of an action camera.
        case action

        /// A comment or the data of another program: XMP, Exif, Photoshop's resources, or free text.
        case unknown

        /// A text of PNG, by its keyword.
        case text(keyword: String)

        /// A text that is nothing but a part of a position, or that cannot be looked into.
        case position
    }

    enum Place {
        /// Where the bytes are; several ranges for a block that is divided.
        case ranges([Range<Int>])

        /// Compressed, or as hexadecimal digits: the chunk that has it, the bytes, and the chunk with other bytes.
        case packed(Range<Int>, [UInt8], repack: ([UInt8]) -> [UInt8])
    }

    let kind: Kind
    let place: Place

    /// The format of a picture's file.
    enum Container {
        case jpeg, png, webp, gif, heif

        /// By the first bytes; nil for another file.
        init?(_ bytes: [UInt8]) {
            switch true {
            case JPEGSegments.isJPEG(bytes): self = .jpeg
            case bytes.starts(with: PNGChunks.signature): self = .png
            case bytes.has("RIFF", at: 0): self = .webp
            case bytes.has("GIF8", at: 0): self = .gif
            case bytes.has("ftyp", at: 4): self = .heif
            default: return nil
            }
        }
    }

    static func all(in bytes: [UInt8]) -> [MetadataBlock] {
        switch Container(bytes) {
        case .jpeg: JPEGSegments.metadata(in: bytes)
        case .png: PNGChunks.metadata(in: bytes)
        case .webp: riff(bytes)
        case .gif: GIFBlocks.metadata(in: bytes)
        case .heif: HEIFItems.metadata(in: bytes)
        case nil: []
        }
    }

    func content(in bytes: [UInt8]) -> [UInt8] {
        switch place {
        case .ranges(let ranges): ranges.flatMap { bytes[$0] }
        case .packed(_, let content, _): content
        }
    }

    /// Overwrites the position where the block is in `bytes`.
    /// - Parameter depth: in how many other metadata the bytes are.
    /// - Returns: whether there is one.
    func erasePosition(in bytes: inout [UInt8], depth: Int = 0) -> Bool {
        var content = content(in: bytes)
        guard case .ranges(let ranges) = place, kind.erasePosition(in: &content, depth: depth) else { return false }
        for range in ranges {
            bytes.replaceSubrange(range, with: content.prefix(range.count))
            content.removeFirst(range.count)
        }
        return true
    }

    /// The chunks of WebP.
    private static func riff(_ bytes: [UInt8]) -> [MetadataBlock] {
        var (blocks, start) = ([MetadataBlock](), 12)
        while let length = bytes.littleEndian(at: start + 4, 4) {
            let content = start + 8..<min(start + 8 + length, bytes.count)
            if bytes.has("EXIF", at: start) { blocks.append(MetadataBlock(kind: .exif, place: .ranges([content]))) }
            if bytes.has("XMP ", at: start) || bytes.has("_PMX", at: start) {
                blocks.append(MetadataBlock(kind: .xmp, place: .ranges([content])))
            }
            start += 8 + length + length % 2
        }
        return blocks + video(in: bytes, from: 8 + (bytes.littleEndian(at: 4, 4) ?? 0))
    }

    /// The video behind a moving picture.
    static func video(in bytes: [UInt8], from start: Int) -> [MetadataBlock] {
        start < bytes.count ? [MetadataBlock(kind: .video, place: .ranges([start..<bytes.count]))] : []
    }
}

extension MetadataBlock.Kind {
    /// Metadata have pictures with metadata, which are searched to this depth.
    private static let deepest = 3

    /// Overwrites the position.
    /// - Parameter depth: in how many other metadata the content is.
    /// - Returns: whether there is one.
    func erasePosition(in content: inout [UInt8], depth: Int = 0) -> Bool {
        guard depth < Self.deepest else { return false }
        switch self {
        case .exif: return ExifBlock.erasePosition(in: &content, depth: depth)
        case .xmp:
            let isFound = XMPPacket.erasePosition(in: &content)
            return EncodedPictures.erasePosition(in: &content, depth: depth) || isFound
        case .photoshop: return PhotoshopResources.erasePosition(in: &content, depth: depth)
        case .video: return VideoPosition.erase(in: &content)
        case .thermal: return ThermalRecords.erasePosition(in: &content)
        case .action: return ActionCameraRecords.erasePosition(in: &content)
        case .unknown, .text:
            return Self.recognized(content)?.erasePosition(in: &content, depth: depth)
                ?? CoordinateText.erase(in: &content)
        case .position: return true
        }
    }

    /// The texts for readers.
    func texts(in content: [UInt8]) -> [PictureText.Source] {
        switch self {
        case .exif: ExifBlock(content).map { [$0.texts] } ?? []
        case .xmp: [XMPPacket.texts(in: content)]
        case .photoshop: PhotoshopResources.texts(in: content)
        case .unknown: Self.recognized(content)?.texts(in: content) ?? []
        case .text(let keyword): [PNGChunks.texts(of: content, keyword: keyword)]
        case .video, .thermal, .action, .position: []
        }
    }

    /// By the first bytes; nil for free text.
    private static func recognized(_ content: [UInt8]) -> Self? {
        if content.range(of: Array("rdf:RDF".utf8), from: 0) != nil { return .xmp }
        if content.has("8BIM", at: 0) { return .photoshop }
        return ExifBlock.start(in: content) == nil ? nil : .exif
    }
}

extension ArraySlice<UInt8> {
    func range(of pattern: [UInt8]) -> Range<Int>? {
        Array(self).range(of: pattern, from: 0).map { $0.lowerBound + startIndex..<$0.upperBound + startIndex }
    }
}

extension [UInt8] {
    /// The first place of a pattern. The searches of the libraries take many times as long.
    func range(of pattern: [UInt8], from start: Int) -> Range<Int>? {
        withUnsafeBytes { all in
            guard let base = all.baseAddress, let first = pattern.first else { return nil }
            var place = start
            while place + pattern.count <= all.count,
                let hit = memchr(base + place, Int32(first), all.count - place - pattern.count + 1)
            {
                place = UnsafeRawPointer(hit) - base
                if memcmp(hit, pattern, pattern.count) == 0 { return place..<place + pattern.count }
                place += 1
            }
            return nil
        }
    }

    func has(_ text: String, at place: Int) -> Bool {
        place >= 0 && place + text.utf8.count <= count && self[place..<place + text.utf8.count].elementsEqual(text.utf8)
    }

    /// Nil if there are not so many bytes.
    func bigEndian(at place: Int, _ length: Int) -> Int? {
        guard place >= 0, length <= count - place else { return nil }
        return self[place..<place + length].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Nil if there are not so many bytes.
    func littleEndian(at place: Int, _ length: Int) -> Int? {
        guard place >= 0, length <= count - place else { return nil }
        return self[place..<place + length].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
