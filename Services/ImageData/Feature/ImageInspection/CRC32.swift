/// The checksum of PNG chunks (ISO 3309, as in zlib). It processes eight bytes per step with one table per byte
/// position, so that no lookup depends on the one before.
enum CRC32 {
    private static let places = 8

    private static let table: [UInt32] = {
        var table = [UInt32](repeating: 0, count: places * 256)
        for byte in 0..<256 {
            table[byte] = (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        for index in 256..<table.count {
            let before = table[index - 256]
            table[index] = before >> 8 ^ table[Int(before & 0xFF)]
        }
        return table
    }()

    static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            var crc = UInt32.max
            var next = 0
            while bytes.count - next >= places {
                let eight = bytes.loadUnaligned(fromByteOffset: next, as: UInt64.self)
                let word = UInt64(littleEndian: eight) ^ UInt64(crc)
                crc = 0
                for place in 0..<places {
                    crc ^= table[(places - 1 - place) * 256 + Int(word >> (8 * place) & 0xFF)]
                }
                next += places
            }
            while next < bytes.count {
                crc = crc >> 8 ^ table[Int((crc ^ UInt32(bytes[next])) & 0xFF)]
                next += 1
            }
            return ~crc
        }
    }
}
