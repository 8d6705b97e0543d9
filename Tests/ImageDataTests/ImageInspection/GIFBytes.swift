/// Builds the blocks of a GIF.
enum GIFBytes {
    static let trailer: Bytes = [0x3B]
    static let loop = Bytes([0x21, 0xFF, 11]) + ascii("NETSCAPE2.0") + [3, 1, 0, 0, 0]
    static let comment = Bytes([0x21, 0xFE, 2, 0x3B, 0x2C, 1, 0x3B, 0])

    static func screen(_ width: Int = 16, _ height: Int = 12, version: String = "89a", colours: Bool = true) -> Bytes {
        ascii("GIF" + version) + le16(width) + le16(height) + [colours ? 0x81 : 0x01, 0, 0] + zeros(colours ? 12 : 0)
    }

    static func frame(_ width: Int = 16, _ height: Int = 12, x: Int = 0, y: Int = 0, colours: Bool = false) -> Bytes {
        [0x2C] + le16(x) + le16(y) + le16(width) + le16(height) + [colours ? 0x80 : 0] + zeros(colours ? 6 : 0)
            + [2, 2, 0x44, 0x01, 1, 0x3B, 0]
    }

    static func image(_ width: Int = 16, _ height: Int = 12, version: String = "89a") -> Bytes {
        screen(width, height, version: version) + frame(width, height) + trailer
    }

    static let animated =
        screen() + loop + comment + frame() + frame(4, 4, x: 12, y: 8, colours: true) + frame() + trailer
}
