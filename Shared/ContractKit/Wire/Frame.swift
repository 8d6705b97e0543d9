/// A frame of PROTOCOL.md §1: a kind, which may be unknown, and bytes. It does not use the runtime's encoding, so that a fault of the
/// runtime is found.
struct Frame {
    static let maximumBytes = 0xFF_FFFF

    static let (message, chunk, lastChunk, part, lastPart): (UInt8, UInt8, UInt8, UInt8, UInt8) = (0, 2, 3, 4, 5)
    static let (credit, aborted): (UInt8, UInt8) = (6, 7)

    let kind: UInt8
    let payload: [UInt8]

    init(kind: UInt8, payload: [UInt8]) {
        self.kind = kind
        self.payload = payload
    }

    init(kind: UInt8, number: Int, payload: some Sequence<UInt8>) {
        self.init(kind: kind, payload: Self.bigEndian(number) + payload)
    }

    var bytes: [UInt8] { Self.bigEndian(Int(kind) << 24 | payload.count) + payload }

    /// The number of a frame whose kind has one.
    var number: Int? {
        kind == Self.message || payload.count < 4 ? nil : payload.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }

    /// The bytes after the number.
    var body: ArraySlice<UInt8> { payload.dropFirst(4) }

    static func bigEndian(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian, Array.init)
    }
}
