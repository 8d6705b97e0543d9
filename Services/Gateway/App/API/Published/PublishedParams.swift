import JSON
import RPC

/// Converts the texts of a request to the parameters of a method, with the types of the method's schema.
struct PublishedParams {
    /// The schemas of the parameters by name; nil when the plugin does not describe the method. Every value is then a text.
    private let properties: [String: JSONSchema]?

    init(_ description: MethodDescription?) {
        properties = description.flatMap { Dictionary($0.properties, uniquingKeysWith: { first, _ in first }) }
    }

    /// The parameters of a request without a body: those of the path and of the query. As in the rest of the API, unknown
    /// parameters of the query are ignored.
    /// - Throws: `invalid_params`.
    func params(path: [String: String], _ query: Query) throws(RPCError) -> RawJSON {
        var members = try pathMembers(path)
        for name in query.names where properties.map({ $0[name] != nil }) ?? true {
            guard path[name] == nil else { throw Self.refused(name, "is given by the path") }
            members[name] = try query.text(name).map { text throws(RPCError) in try value(text, of: name) }
        }
        return RawJSON(members, as: .dictionary(of: .any))
    }

    /// The parameters of a request with a body, an object: its members and those of the path.
    /// - Throws: `parse_error` or `invalid_params`.
    func params(path: [String: String], body: some Collection<UInt8>) throws(RPCError) -> RawJSON {
        var members: [String: RawJSON] = [:]
        if !body.isEmpty {
            do throws(JSONError) {
                members = try RawJSON(checking: body).read(as: .dictionary(of: .any))
            } catch {
                throw RPCError(.invalidParams, "the body must be a JSON object: \(error)", begun: false)
            }
        }
        for (name, value) in try pathMembers(path) {
            guard members.updateValue(value, forKey: name) == nil else {
                throw Self.refused(name, "is given by the path")
            }
        }
        return RawJSON(members, as: .dictionary(of: .any))
    }

    private func pathMembers(_ path: [String: String]) throws(RPCError) -> [String: RawJSON] {
        var members: [String: RawJSON] = [:]
        for (name, text) in path { members[name] = try value(text, of: name) }
        return members
    }

    private func value(_ text: String, of name: String) throws(RPCError) -> RawJSON {
        try Self.value(text, properties?[name] ?? JSONSchema(), name)
    }

    private static func value(_ text: String, _ schema: JSONSchema, _ name: String) throws(RPCError) -> RawJSON {
        switch schema.type {
        case "integer":
            return try value(text, as: .integer(), name, "must be a whole number")
        case "number":
            return try value(text, as: .number(), name, "must be a number")
        case "boolean":
            return try value(text, as: .boolean, name, "must be true or false")
        case "array":
            let items = if case .schema(let items) = schema["items"] { items } else { JSONSchema() }
            var elements: [RawJSON] = []
            for element in text.split(separator: ",") { elements.append(try value(String(element), items, name)) }
            return RawJSON(elements, as: .array(of: .any))
        default:
            return RawJSON(text, as: .string)
        }
    }

    private static func value<Value>(
        _ text: String, as codec: Codec<Value>, _ name: String, _ reason: String
    ) throws(RPCError) -> RawJSON {
        do throws(JSONError) {
            let value = try RawJSON(checking: text)
            _ = try value.read(as: codec)
            return value
        } catch {
            throw refused(name, reason)
        }
    }

    private static func refused(_ name: String, _ reason: String) -> RPCError {
        RPCError(.invalidParams, "\(name): \(reason)", begun: false)
    }
}

extension MethodDescription {
    /// The parameters with their schemas, in the order of the description.
    var properties: [(String, JSONSchema)] {
        guard let schema = try? JSONSchema(reading: params), case .properties(let properties) = schema["properties"]
        else { return [] }
        return properties
    }

    /// The names of the required parameters.
    var required: [String] {
        guard let schema = try? JSONSchema(reading: params), case .strings(let names) = schema["required"]
        else { return [] }
        return names
    }
}

extension JSONSchema {
    /// The type of the values, without null.
    fileprivate var type: String? {
        switch self["type"] {
        case .string(let type): type
        case .strings(let types): types.first { $0 != "null" }
        default: nil
        }
    }
}
