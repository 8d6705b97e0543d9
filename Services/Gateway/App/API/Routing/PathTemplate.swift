import Foundation
import JSON
import RPC

/// The path of an endpoint, for example `/v1/image/{id}/comments`. `{id}` matches a UUID, every other name in braces matches any
/// text.
struct PathTemplate: Sendable, Equatable {
    /// The template as OpenAPI writes it.
    let text: String
    private let parts: [Part]

    private enum Part: Equatable {
        case fixed(String)
        case id
        case name(String)

        /// The name of a variable part.
        var name: String? {
            switch self {
            case .fixed: nil
            case .id: "id"
            case .name(let name): name
            }
        }
    }

    /// The value of the last variable part.
    enum Value: Equatable, Sendable {
        case none
        case id(UUID)
        case name(String)
    }

    init(_ text: String) {
        self.text = text
        parts = text.split(separator: "/").map { part in
            switch part {
            case "{id}": .id
            case let part where part.hasPrefix("{"): .name(String(part.dropFirst().dropLast()))
            default: .fixed(String(part))
            }
        }
    }

    /// The names of the variable parts and the schemas of their values.
    var variables: [(name: String, schema: JSONSchema)] {
        parts.compactMap { part in
            part.name.map { ($0, part == .id ? Codec.uuid.schema : Codec.string.schema) }
        }
    }

    /// The path with a value for each variable part.
    func filled(with value: String) -> String {
        text.split(separator: "/").reduce("") { $0 + "/" + ($1.hasPrefix("{") ? value : String($1)) }
    }

    /// - Parameter path: the decoded parts of a request's path.
    /// - Returns: nil when the path does not match. A path with an invalid id is unknown.
    func match(_ path: [String]) -> Value? {
        guard path.count == parts.count else { return nil }
        var value = Value.none
        for (part, text) in zip(parts, path) {
            switch part {
            case .fixed(let name): if name != text { return nil }
            case .name: value = .name(text)
            case .id:
                guard let id = UUID(hexadecimal: text) else { return nil }
                value = .id(id)
            }
        }
        return value
    }

    /// The values of the variable parts of a path that matches, by their names.
    func values(in path: [String]) -> [String: String] {
        var values: [String: String] = [:]
        for (part, text) in zip(parts, path) { if let name = part.name { values[name] = text } }
        return values
    }

    /// Whether a path can match both templates.
    func overlaps(_ other: PathTemplate) -> Bool {
        parts.count == other.parts.count
            && zip(parts, other.parts).allSatisfy { $0 == $1 || $0.name != nil || $1.name != nil }
    }
}
