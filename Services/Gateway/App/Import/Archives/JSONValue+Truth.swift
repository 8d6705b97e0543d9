import JSON

extension JSONValue? {
    /// Whether a member says so in any form.
    var isTrue: Bool {
        self?.boolean ?? self?.number.map { $0 != JSONNumber(0) } ?? self?.text.map {
            !["", "false", "no", "0"].contains($0.lowercased())
        } ?? false
    }
}
