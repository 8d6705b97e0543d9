/// A frame for tests: a kind, which may be unknown, and bytes. It does not use the runtime's encoding.
public struct WireFrame: Sendable, Equatable {
    public struct Kind: RawRepresentable, Sendable, Hashable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let message = Kind(rawValue: 0)
        public static let compressed = Kind(rawValue: 1)
        public static let chunk = Kind(rawValue: 2)
        public static let lastChunk = Kind(rawValue: 3)
        public static let part = Kind(rawValue: 4)
        public static let lastPart = Kind(rawValue: 5)
        public static let credit = Kind(rawValue: 6)
        public static let aborted = Kind(rawValue: 7)
        public static let stop = Kind(rawValue: 8)
    }

    public var kind: Kind
    public var payload: [UInt8]

    public init(kind: Kind, payload: [UInt8]) {
        self.kind = kind
        self.payload = payload
    }

    /// A frame that begins with a number.
    public init(_ kind: Kind, _ number: UInt32, _ bytes: some Sequence<UInt8> = []) {
        self.init(kind: kind, payload: Self.bigEndian(number) + bytes)
    }

    public static func message(_ text: String) -> WireFrame { WireFrame(kind: .message, payload: Array(text.utf8)) }

    /// Grants credit for more bytes of a number.
    public static func credit(_ number: UInt32, _ bytes: UInt32) -> WireFrame {
        WireFrame(.credit, number, bigEndian(bytes))
    }

    public static func aborted(_ number: UInt32, _ reason: String) -> WireFrame {
        WireFrame(.aborted, number, reason.utf8)
    }

    public static func stop(_ number: UInt32) -> WireFrame { WireFrame(.stop, number) }

    /// Splits the bytes of an attachment or of a message in parts into chunks. The last chunk has its own kind.
    public static func split(
        _ bytes: some Collection<UInt8>, as kinds: (Kind, last: Kind), _ number: UInt32, chunk: Int = 65_536
    ) -> [WireFrame] {
        var (frames, rest) = ([WireFrame](), bytes[...])
        while rest.count > chunk {
            frames.append(WireFrame(kinds.0, number, rest.prefix(chunk)))
            rest = rest.dropFirst(chunk)
        }
        return frames + [WireFrame(kinds.last, number, rest)]
    }

    public static func attachment(
        _ number: UInt32, _ bytes: some Collection<UInt8>, chunk: Int = 65_536
    ) -> [WireFrame] {
        split(bytes, as: (.chunk, .lastChunk), number, chunk: chunk)
    }

    public static func parts(_ number: UInt32, of text: String, chunk: Int = 65_536) -> [WireFrame] {
        split(Array(text.utf8), as: (.part, .lastPart), number, chunk: chunk)
    }

    // MARK: Reading

    public var text: String { String(decoding: payload, as: UTF8.self) }

    /// The number at its start, for kinds with a number.
    public var number: UInt32? { payload.count < 4 ? nil : payload.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }

    /// The bytes after the number.
    public var body: ArraySlice<UInt8> { payload.dropFirst(4) }

    // MARK: Bytes

    /// The encoded frame: one byte for the kind, three for the length, then the payload.
    public var bytes: [UInt8] {
        Self.bigEndian(UInt32(kind.rawValue) << 24 | UInt32(payload.count)) + payload
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian, Array.init) }
}

extension WireFrame: CustomStringConvertible {
    /// A short text for the messages of failed tests.
    public var description: String {
        kind == .message
            ? "message \(text.prefix(200))" : "kind \(kind.rawValue), number \(number ?? 0), \(payload.count) bytes"
    }
}

extension WirePeer {
    public func send(_ frames: [WireFrame]) async throws { try await send(frames.flatMap(\.bytes)) }

    public func send(_ frame: WireFrame) async throws { try await send(frame.bytes) }

    /// Sends `rpc.hello` as a client and waits for the answer.
    /// - Returns: the answer.
    @discardableResult
    public func greet(_ features: [String], frameBytes: Int = 8_388_608) async throws -> String? {
        let names = features.map { "\"\($0)\"" }.joined(separator: ",")
        return try await exchange(
            """
            {"jsonrpc":"2.0","id":"hello","method":"rpc.hello","params":{"protocols":[1],"features":[\(names)],\
            "limits":{"frame_bytes":\(frameBytes)}}}
            """)
    }
}
