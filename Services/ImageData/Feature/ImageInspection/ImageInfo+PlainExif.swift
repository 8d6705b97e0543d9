extension ImageInfo {
    /// Exif data with nothing but the orientation, and the position where libvips, which reads the first of several, finds it in the
    /// file. From unusual Exif data libvips reads another orientation than browsers, or none. Nil for a picture that needs none.
    public var plainExif: (bytes: [UInt8], position: Int)? {
        guard orientation != .upright else { return nil }
        let exif =
            Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.value)]
            + [UInt8](repeating: 0, count: 6)
        switch format {
        case .jpeg:
            let content = Array("Exif\0\0".utf8) + exif
            return ([0xFF, 0xE1, 0, UInt8(2 + content.count)] + content, 2)
        case .png:
            let chunk = Array("eXIf".utf8) + exif
            let checksum = chunk.withUnsafeBytes { CRC32.checksum($0) }
            return ([0, 0, 0, UInt8(exif.count)] + chunk + withUnsafeBytes(of: checksum.bigEndian) { Array($0) }, 33)
        case .gif, .webp, .avif:
            return nil
        }
    }
}
