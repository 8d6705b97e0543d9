/// What both sides of a connection may agree on in `rpc.hello`, beside plain frames. `PROTOCOL.md` §4.
public struct Features: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Raw bytes beside a message.
    public static let bytes = Features(rawValue: 1 << 0)

    /// Large messages travel in parts and delay nobody else's.
    public static let parts = Features(rawValue: 1 << 1)

    /// A receiver decides how much of each attachment and part is under way.
    public static let credit = Features(rawValue: 1 << 2)

    /// Compressed messages, for links where bytes cost more than time.
    public static let zlib = Features(rawValue: 1 << 3)

    /// What a client asks for unless told otherwise.
    public static let standard: Features = [.bytes, .parts, .credit]

    /// What a server agrees to.
    static let supported: Features = [.bytes, .parts, .credit, .zlib]

    private static let known: [(feature: Features, name: String)] = [
        (.bytes, "bytes"), (.parts, "parts"), (.credit, "credit"), (.zlib, "zlib"),
    ]

    /// Names of later versions mean nothing here.
    init(names: [String]) {
        self = Features(Self.known.filter { names.contains($0.name) }.map(\.feature))
    }

    var names: [String] { Self.known.filter { contains($0.feature) }.map(\.name) }
}
