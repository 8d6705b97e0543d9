import Testing

@testable import ImageData

struct ByteCursorTests {
    private static let end = ImageRejection.truncated(.png)

    private func cursor(over bytes: Bytes, _ read: (inout ByteCursor) throws -> Void) throws {
        try bytes.withUnsafeBytes { bytes in
            var cursor = ByteCursor(bytes, atEnd: Self.end)
            return try read(&cursor)
        }
    }

    @Test func `numbers are read in both byte orders`() throws {
        try cursor(over: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x41, 0x42, 0x43, 0x44]) { cursor throws in
            #expect(try cursor.byte() == 1)
            #expect(try cursor.bigEndian(UInt16.self) == 0x0203)
            #expect(try cursor.littleEndian(UInt16.self) == 0x0504)
            #expect(try cursor.littleEndian24() == 0x080706)
            #expect(try cursor.bigEndian(UInt32.self) == 0x090A_0B0C)
            #expect(try cursor.fourCC() == "ABCD")
            #expect(cursor.isAtEnd)
        }
    }

    @Test func `an incomplete number throws`() throws {
        try cursor(over: [1, 2, 3]) { cursor throws in
            #expect(throws: Self.end) { try cursor.bigEndian(UInt32.self) }
            #expect(throws: Self.end) { try cursor.littleEndian(UInt64.self) }
            #expect(cursor.position == 0)
        }
    }

    @Test(arguments: [4, Int.max, Int.min, -1])
    func `no length leads beyond the bytes`(length: Int) throws {
        try cursor(over: [1, 2, 3]) { cursor throws in
            try cursor.skip(1)
            #expect(throws: Self.end) { try cursor.skip(length) }
            #expect(throws: Self.end) { try cursor.part(length, atEnd: .notAnImage) }
            #expect(cursor.position == 1)
        }
    }

    @Test func `a part ends at its own length and throws its own error`() throws {
        try cursor(over: [1, 2, 3, 4]) { cursor throws in
            try cursor.skip(1)
            var part = try cursor.part(2, atEnd: .notAnImage)
            #expect(try part.bigEndian(UInt16.self) == 0x0203)
            #expect(throws: ImageRejection.notAnImage) { try part.byte() }
            #expect(try cursor.byte() == 4)
        }
    }

    @Test func `searching stops before the byte, or throws`() throws {
        try cursor(over: [1, 2, 3, 2]) { cursor throws in
            try cursor.skip(to: 2)
            #expect(cursor.position == 1)
            try cursor.skip(to: 2)
            #expect(cursor.position == 1)
            #expect(throws: Self.end) { try cursor.skip(to: 9) }
        }
    }
}
