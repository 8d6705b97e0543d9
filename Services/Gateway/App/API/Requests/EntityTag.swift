/// An entity tag (RFC 9110 §8.8.3).
struct EntityTag: Equatable, CustomStringConvertible {
    /// The text between the quotes.
    let opaque: String
    let isWeak: Bool

    init(_ opaque: String, isWeak: Bool = false) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// The first tag of a field; nil if it has none.
    init?(field: String) {
        guard let tag = Self.list(field).first else { return nil }
        self = tag
    }

    var description: String { (isWeak ? "W/" : "") + "\"\(opaque)\"" }

    /// Whether `If-None-Match` contains this tag, by weak comparison.
    func isNamed(in field: String) -> Bool {
        Self.isStar(field) || Self.list(field).contains { $0.opaque == opaque }
    }

    /// Whether `If-Match` permits an answer with this tag: it is a star, or contains the tag, by strong comparison.
    func isRequired(by field: String) -> Bool { Self.isStar(field) || !isWeak && Self.list(field).contains(self) }

    /// Whether `If-Range` equals this tag, by strong comparison. A date does not match.
    func isExactly(_ field: String) -> Bool { !isWeak && Self.list(field) == [self] }

    static func isStar(_ field: String) -> Bool {
        field.allSatisfy { $0 == "*" || $0 == " " } && field.contains("*")
    }

    /// The tags of a list, up to the first invalid part.
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
