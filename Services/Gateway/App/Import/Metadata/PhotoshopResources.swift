/// Photoshop's resources, one behind the other (Photoshop File Formats, "Image Resource Blocks").
enum PhotoshopResources {
    private static let signatures = ["8BIM", "MeSa", "PHUT", "AgHg", "DCSR"]

    /// The ids of the resources, and where their contents are.
    private static func parts(of bytes: [UInt8]) -> [(id: Int, content: Range<Int>)] {
        var (parts, start) = ([(id: Int, content: Range<Int>)](), 0)
        while let id = bytes.bigEndian(at: start + 4, 2), let name = bytes.bigEndian(at: start + 6, 1) {
            // The name and the content have an even length.
            let place = start + 6 + (name + 2) / 2 * 2
            guard Self.signatures.contains(where: { bytes.has($0, at: start) }),
                let length = bytes.bigEndian(at: place, 4)
            else { break }
            parts.append((id, place + 4..<min(place + 4 + length, bytes.count)))
            start = place + 4 + (length + 1) / 2 * 2
        }
        return parts
    }

    static func erasePosition(in bytes: inout [UInt8], depth: Int) -> Bool {
        var isFound = false
        for (id, content) in parts(of: bytes) {
            var part = Array(bytes[content])
            let hasPosition =
                switch id {
                // Previews.
                case 0x0409, 0x040C: JPEGSegments.erasePosition(ofPicturesIn: &part, depth: depth + 1)
                case 0x0422, 0x0423: MetadataBlock.Kind.exif.erasePosition(in: &part, depth: depth + 1)
                case 0x0424: XMPPacket.erasePosition(in: &part)
                default: false
                }
            if hasPosition {
                bytes.replaceSubrange(content, with: part)
                isFound = true
            }
        }
        return isFound
    }

    static func texts(in bytes: [UInt8]) -> [PictureText.Source] {
        parts(of: bytes).flatMap { id, content -> [PictureText.Source] in
            switch id {
            case 0x0404: [IPTCRecords.texts(in: Array(bytes[content]))]
            case 0x0422, 0x0423: MetadataBlock.Kind.exif.texts(in: Array(bytes[content]))
            case 0x0424: MetadataBlock.Kind.xmp.texts(in: Array(bytes[content]))
            default: []
            }
        }
    }
}
