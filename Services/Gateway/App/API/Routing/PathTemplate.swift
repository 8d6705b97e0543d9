import Foundation
import JSON
import RPC

/// The path of an endpoint, for example `/v1/image/{id}/comments`. It has at most one variable part: `{id}` matches a
/// UUID, every other name in braces matches any text.
struct PathTemplate: Sendable {
    /// The template as OpenAPI writes it.
    let text: String
    private let parts: [Part]

    private enum Part: Equatable {
        case fixed(String)
        case id
        case name
    }

    /// The value of the variable part.
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
            case let part where part.hasPrefix("{"): .name
            default: .fixed(String(part))
            }
        }
    }

    /// The name of the variable part and the schema of its values; nil for a fixed path.
    var variable: (name: String, schema: JSONSchema)? {
        let names = text.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
        return names.first.map { ($0, $0 == "id" ? Codec.uuid.schema : Codec.string.schema) }
    }

    /// The path with a value for the variable part.
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
}
