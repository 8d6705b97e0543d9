import Foundation

/// The address of a PostgreSQL database, as libpq reads it: `postgres://user@host:port/database?name=value`. It never has a password, so
/// it may be logged and stand in a process list.
public struct DatabaseURL: Equatable, Sendable, CustomStringConvertible {
    public let text: String

    /// Why a text is not used as an address. It does not repeat the text, which may have a password.
    public enum Refusal: Error, Equatable, CustomStringConvertible {
        case password
        case scheme
        case malformed

        public var description: String {
            switch self {
            case .password:
                """
                the URL of the database must not have a password, because other users could read it; put it into ~/.pgpass or the file \
                that ?passfile=/path names (one line: host:port:database:user:password, mode 0600)
                """
            case .scheme: "the URL of a database begins with postgres:// or postgresql://"
            case .malformed:
                "the URL of the database is not valid; write postgres://user@host:port/database, and %40 for an @ within a part"
            }
        }
    }

    private static let schemes = ["postgres", "postgresql"]

    /// - Returns: nil for the path of a file.
    public init?(_ text: String) throws(Refusal) {
        guard let separator = text.firstRange(of: "://") else {
            guard !Self.resemblesDatabase(text) else { throw .scheme }
            return nil
        }
        guard Self.schemes.contains(String(text[..<separator.lowerBound])) else { throw .scheme }
        // Then a character is a byte: a colon with a combining mark is a colon to libpq.
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .malformed }
        let rest = text[separator.upperBound...]
        // As libpq does: a question mark may be part of a password.
        let authority = rest.prefix { $0 != "/" }
        if let at = authority.firstIndex(of: "@"), authority[..<at].contains(":") { throw .password }
        let path = rest[authority.endIndex...].prefix { $0 != "?" }
        guard !path.contains("@") else { throw .malformed }
        let query = rest.drop { $0 != "?" }.dropFirst()
        for parameter in query.split(separator: "&") {
            guard let name = String(parameter.prefix { $0 != "=" }).removingPercentEncoding else { throw .malformed }
            if Self.isSecret(name.lowercased()) { throw .password }
        }
        self.text = text
    }

    /// Whether a path is meant for a database: libpq's `dbname=feed host=db`, or a URL that lacks a slash. A new file of this name would
    /// be used in its place.
    private static func resemblesDatabase(_ text: String) -> Bool {
        let words = text.split(separator: " ")
        return schemes.contains { text.hasPrefix($0 + ":/") }
            || words.contains { $0.hasPrefix("dbname=") || $0.hasPrefix("host=") }
    }

    private static func isSecret(_ name: String) -> Bool {
        name.contains("password") || name.contains("secret") || name.hasPrefix("scram_")
    }

    public var description: String { text }
}
