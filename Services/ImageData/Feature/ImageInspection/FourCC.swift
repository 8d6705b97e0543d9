/// The four-character name of a chunk or a box.
struct FourCC: Equatable, ExpressibleByStringLiteral, CustomStringConvertible {
    let code: UInt32

    init(code: UInt32) {
        self.code = code
    }

    init(stringLiteral name: StaticString) {
        precondition(name.utf8CodeUnitCount == 4)
        code = name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    var description: String {
        withUnsafeBytes(of: code.bigEndian) { String(decoding: $0, as: UTF8.self) }
    }
}
