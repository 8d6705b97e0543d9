/// Finds the bytes of strings that need a closer look. Looks at sixteen at a time: nearly all bytes of nearly all messages
/// need none.
enum StringBytes {
    /// Where the run of plain bytes from `start` on ends: ASCII that is neither a quote, a backslash nor a control character
    /// stands for itself.
    static func endOfPlain(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        // Signed, so that everything beyond ASCII is less than a space too.
        end(in: bytes, from: start) { quotesAndBackslashes(in: $0) | bits($0 .< Chunk(repeating: 0x20)) }
    }

    /// Where the next quote or backslash stands.
    static func endOfUnescaped(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        end(in: bytes, from: start) { quotesAndBackslashes(in: $0) }
    }

    private typealias Chunk = SIMD16<Int8>

    // Vectors on both sides of each comparison, and words instead of `any`: only these forms become single instructions.

    @inline(__always)
    private static func quotesAndBackslashes(in chunk: Chunk) -> SIMD2<UInt64> {
        bits(chunk .== Chunk(repeating: 0x22)) | bits(chunk .== Chunk(repeating: 0x5C))
    }

    /// All bits of a byte that is marked are set.
    @inline(__always)
    private static func bits(_ mask: SIMDMask<Chunk>) -> SIMD2<UInt64> { unsafeBitCast(mask, to: SIMD2<UInt64>.self) }

    @inline(__always)
    private static func end(
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int, marked: (Chunk) -> SIMD2<UInt64>
    ) -> Int {
        guard let base = bytes.baseAddress else { return start }
        var position = start
        // Both loops' conditions keep what they load inside the buffer.
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
            // The first byte is the least significant one of its word on every platform that Swift has.
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
