/// Photoshop's resources, one behind the other (Photoshop File Formats, "Image Resource Blocks").
enum PhotoshopResources {
    private static let signatures = ["8BIM", "MeSa", "PHUT", "AgHg", "DCSR"]

    static func erasePosition(in bytes: inout [UInt8], depth: Int) -> Bool {
        var (start, isFound) = (0, false)
        while let id = bytes.bigEndian(at: start + 4, 2), let name = bytes.bigEndian(at: start + 6, 1) {
            // The name and the content have an even length.
            let place = start + 6 + (name + 2) / 2 * 2
            guard Self.signatures.contains(where: { bytes.has($0, at: start) }),
                let length = bytes.bigEndian(at: place, 4)
            else { break }
            let content = place + 4..<min(place + 4 + length, bytes.count)
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
            start = place + 4 + (length + 1) / 2 * 2
        }
        return isFound
    }
}
