import RPC

/// The table of PROTOCOL.md §3 for clients.
enum ProtocolErrors {
    static let codes = ErrorKind.allCases.map { (code: $0.code, kind: $0.rawValue) }
}
