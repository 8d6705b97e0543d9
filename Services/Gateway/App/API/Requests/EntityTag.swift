/// What tells two versions of a resource apart (RFC 9110 §8.8.3).
struct EntityTag: Equatable, CustomStringConvertible {
    /// What stands between the quotes.
    let opaque: String
    let isWeak: Bool

    init(_ opaque: String, isWeak: Bool = false) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    var description: String { (isWeak ? "W/" : "") + "\"\(opaque)\"" }

    /// Whether a field `If-None-Match` names this tag, so that its sender has what it asks for. Weak and strong tags match
    /// each other there.
    func isNamed(in field: String) -> Bool {
        field.allSatisfy { $0 == "*" || $0 == " " } && field.contains("*")
            || Self.list(field).contains { $0.opaque == opaque }
    }

    /// Whether a field `If-Range` is this tag: strong, on both sides. A date never is.
    func isExactly(_ field: String) -> Bool { !isWeak && Self.list(field) == [self] }

    /// The tags of a list, as far as it is one.
    private static func list(_ field: String) -> [EntityTag] {
        var tags: [EntityTag] = []
        var rest = field[...]
        while let start = rest.firstIndex(of: "\""), let end = rest[start...].dropFirst().firstIndex(of: "\"") {
            let isWeak = rest[..<start].hasSuffix("W/")
            tags.append(EntityTag(String(rest[start..<end].dropFirst()), isWeak: isWeak))
            rest = rest[end...].dropFirst()
        }
        return tags
    }
}
