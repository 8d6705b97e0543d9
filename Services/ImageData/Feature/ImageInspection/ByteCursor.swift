/// Reads forward through borrowed bytes, and throws at their end: no length in a file can lead beyond them.
///
/// A cursor must not outlive the `withUnsafeBytes` call that created it.
struct ByteCursor {
    private(set) var position = 0
    let bytes: UnsafeRawBufferPointer
    /// Thrown at the end. At the end of the file it means truncation; at the end of a part, an incorrect length in the
    /// file.
    private let atEnd: ImageRejection

    init(_ bytes: UnsafeRawBufferPointer, atEnd: ImageRejection) {
        self.bytes = bytes
        self.atEnd = atEnd
    }

    var remaining: Int { bytes.count - position }
    var isAtEnd: Bool { remaining == 0 }

    mutating func skip(_ count: Int) throws(ImageRejection) {
        guard count >= 0, count <= remaining else { throw atEnd }
        position += count
    }

    /// Skips to the next `byte`, exclusively.
    mutating func skip(to byte: UInt8) throws(ImageRejection) {
        guard let next = bytes[position...].firstIndex(of: byte) else { throw atEnd }
        position = next
    }

    mutating func byte() throws(ImageRejection) -> UInt8 {
        try bigEndian(UInt8.self)
    }

    mutating func bigEndian<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type
    ) throws(ImageRejection) -> Value {
        Value(bigEndian: try load(type))
    }

    mutating func littleEndian<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type
    ) throws(ImageRejection) -> Value {
        Value(littleEndian: try load(type))
    }

    mutating func littleEndian24() throws(ImageRejection) -> Int {
        let low = try littleEndian(UInt16.self)
        return Int(try byte()) << 16 | Int(low)
    }

    mutating func fourCC() throws(ImageRejection) -> FourCC {
        FourCC(code: try bigEndian(UInt32.self))
    }

    /// Skips the next `count` bytes and returns a cursor over them.
    mutating func part(_ count: Int, atEnd: ImageRejection) throws(ImageRejection) -> ByteCursor {
        let start = position
        try skip(count)
        return ByteCursor(UnsafeRawBufferPointer(rebasing: bytes[start..<position]), atEnd: atEnd)
    }

    private mutating func load<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type
    ) throws(ImageRejection) -> Value {
        let start = position
        try skip(MemoryLayout<Value>.size)
        return bytes.loadUnaligned(fromByteOffset: start, as: type)
    }
}
