/// How an implementation broke a connection, or did not answer. It ends the step and the connection.
struct PeerFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    static func silent(_ time: Duration) -> PeerFault { PeerFault("sent nothing within \(time.text)") }
}

extension Duration {
    var milliseconds: Int { Int(self / .milliseconds(1)) }

    /// For reports: `250 ms`, `5 s`.
    var text: String { milliseconds % 1_000 == 0 ? "\(milliseconds / 1_000) s" : "\(milliseconds) ms" }
}
