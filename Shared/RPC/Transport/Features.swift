import JSON

/// The optional features that both sides negotiate in `rpc.hello`. `PROTOCOL.md` §4.
public struct Features: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Raw bytes as attachments of a message.
    public static let bytes = Features(rawValue: 1 << 0)

    /// Large messages are sent in parts, so that they do not delay others.
    public static let parts = Features(rawValue: 1 << 1)

    /// Flow control: the receiver grants bytes of each attachment and part.
    public static let credit = Features(rawValue: 1 << 2)

    /// Compressed messages, for connections where bandwidth is scarcer than processor time.
    public static let zlib = Features(rawValue: 1 << 3)

    /// The features that a client requests by default.
    public static let standard: Features = [.bytes, .parts, .credit]

    /// The features that a server supports.
    static let supported: Features = [.bytes, .parts, .credit, .zlib]

    private static let known: [(feature: Features, name: String)] = [
        (.bytes, "bytes"), (.parts, "parts"), (.credit, "credit"), (.zlib, "zlib"),
    ]

    /// Unknown names come from later versions and are ignored.
    init(names: [String]) {
        let known = Self.known.filter { feature in names.contains { $0.isExactly(feature.name) } }
        self = Features(known.map(\.feature))
    }

    var names: [String] { Self.known.filter { contains($0.feature) }.map(\.name) }
}
