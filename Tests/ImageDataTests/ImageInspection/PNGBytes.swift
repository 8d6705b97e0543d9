import Foundation

/// Builds the chunks of a PNG. Checksums are computed bit by bit, independently of the tested table.
enum PNGBytes {
    static let signature: Bytes = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    static let data = chunk("IDAT", [0x78, 0x9C, 0x03, 0, 0, 0, 0, 1])
    static let end = chunk("IEND", [])

    static func chunk(_ type: String, _ content: Bytes) -> Bytes {
        be32(content.count) + ascii(type) + content + be32(Int(checksum(ascii(type) + content)))
    }

    static func header(_ width: Int = 16, _ height: Int = 12, depth: UInt8 = 8, colour: UInt8 = 2) -> Bytes {
        chunk("IHDR", be32(width) + be32(height) + [depth, colour, 0, 0, 0])
    }

    static func image(_ width: Int = 16, _ height: Int = 12) -> Bytes {
        signature + header(width, height) + chunk("tEXt", ascii("Title\0none")) + data + data + end
    }

    static func animation(of count: Int) -> Bytes { chunk("acTL", be32(count) + be32(0)) }

    static func frame(_ width: Int = 16, _ height: Int = 12, x: Int = 0, y: Int = 0) -> Bytes {
        chunk("fcTL", be32(0) + be32(width) + be32(height) + be32(x) + be32(y) + [0, 1, 0, 25, 0, 0])
    }

    static let frameData = chunk("fdAT", be32(1) + [0x78, 0x9C, 0x03])

    static let animated =
        signature + header() + animation(of: 2) + frame() + data + frame(4, 4, x: 12, y: 8) + frameData + end

    static let animatedWithDefaultImage =
        signature + header() + animation(of: 2) + data + frame() + frameData + frame() + frameData + end

    /// An ICC profile, which is compressed without making it smaller (RFC 1950 and 1951).
    static func profile(_ profile: Data) -> Bytes {
        var (low, high) = (1, 0)
        for byte in profile { (low, high) = ((low + Int(byte)) % 65_521, (high + low + Int(byte)) % 65_521) }
        let block = Bytes([1]) + le16(profile.count) + le16(~profile.count) + profile
        return chunk("iCCP", ascii("name\0\0") + [0x78, 1] + block + be16(high) + be16(low))
    }

    static func checksum(_ bytes: Bytes) -> UInt32 {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}
