/// The request of subjects without a protocol: 100 bytes, of which the first four are the size of the reply.
enum RawRequest {
    static func bytes(askingFor replyBytes: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: replyBytes >> (24 - 8 * $0)) }
            + [UInt8](repeating: UInt8(ascii: "k"), count: Load.requestBytes - 4)
    }

    static func replyBytes(_ request: some Collection<UInt8>) -> Int {
        request.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }
}
