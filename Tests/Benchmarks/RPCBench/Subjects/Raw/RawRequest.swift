/// The request of the subjects that have no protocol: so many bytes, of which the first four say how many the reply has.
enum RawRequest {
    static func bytes(askingFor replyBytes: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: replyBytes >> (24 - 8 * $0)) }
            + [UInt8](repeating: UInt8(ascii: "k"), count: Load.requestBytes - 4)
    }

    static func replyBytes(_ request: some Collection<UInt8>) -> Int {
        request.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }
}
