/// Finds the bytes in strings that need special treatment, sixteen bytes at a time: nearly all bytes of nearly all
/// messages need none.
enum StringBytes {
    /// Returns the end of the run of plain bytes from `start`: ASCII except quotes, backslashes and control characters.
    static func endOfPlain(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        // Signed, so that non-ASCII bytes are less than a space as well.
        end(in: bytes, from: start) { quotesAndBackslashes(in: $0) | bits($0 .< Chunk(repeating: 0x20)) }
    }

    /// Returns the position of the next quote or backslash.
    static func endOfUnescaped(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        end(in: bytes, from: start) { quotesAndBackslashes(in: $0) }
    }

    private typealias Chunk = SIMD16<Int8>

    // Vectors on both sides of each comparison, and words instead of `any`: only these forms compile to single
    // instructions.

    @inline(__always)
    private static func quotesAndBackslashes(in chunk: Chunk) -> SIMD2<UInt64> {
        bits(chunk .== Chunk(repeating: 0x22)) | bits(chunk .== Chunk(repeating: 0x5C))
    }

    /// Sets all bits of a marked byte.
    @inline(__always)
    private static func bits(_ mask: SIMDMask<Chunk>) -> SIMD2<UInt64> { unsafeBitCast(mask, to: SIMD2<UInt64>.self) }

    @inline(__always)
    private static func end(
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int, marked: (Chunk) -> SIMD2<UInt64>
    ) -> Int {
        guard let base = bytes.baseAddress else { return start }
        var position = start
        // The conditions of both loops guarantee that loads stay inside the buffer.
        @inline(__always) func marks(at offset: Int) -> SIMD2<UInt64> {
            marked(UnsafeRawPointer(base + offset).loadUnaligned(as: Chunk.self))
        }
        while position + 64 <= bytes.count {
            let found =
                marks(at: position) | marks(at: position + 16) | marks(at: position + 32) | marks(at: position + 48)
            if found[0] | found[1] != 0 { break }
            position += 64
        }
        while position + 16 <= bytes.count {
            let found = marks(at: position)
            // The first byte is the least significant one of its word: all Swift platforms are little-endian.
            if found[0] != 0 { return position + found[0].trailingZeroBitCount / 8 }
            if found[1] != 0 { return position + 8 + found[1].trailingZeroBitCount / 8 }
            position += 16
        }
        while position < bytes.count, marked(Chunk(repeating: Int8(bitPattern: bytes[position])))[0] == 0 {
            position += 1
        }
        return position
    }
}
