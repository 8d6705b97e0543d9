import FoundationEssentials

extension UUID {
    /// A random UUID (version 4).
    ///
    /// Foundation's `UUID()` opens a file for its random bytes. In a process without a free descriptor it returns the same UUID each
    /// time.
    public static func random() -> UUID {
        var numbers = SystemRandomNumberGenerator()
        var id = UUID.zero
        withUnsafeMutableBytes(of: &id) { bytes in
            bytes.storeBytes(of: numbers.next(), as: UInt64.self)
            bytes.storeBytes(of: numbers.next(), toByteOffset: 8, as: UInt64.self)
            bytes[6] = bytes[6] & 0x0F | 0x40
            bytes[8] = bytes[8] & 0x3F | 0x80
        }
        return UUID(uuid: id)
    }
}
