import Foundation
import JSON
import RPC
import ServiceKit

/// The parameters of a call, as they are typed: one JSON object, or one value each.
enum CallParameters: Equatable {
    case whole(RawJSON)
    case values([Value])

    /// One `path=text`, or `path:=json`.
    struct Value: Equatable {
        let name: String
        let path: ParameterPath
        let content: Content

        enum Content: Equatable {
            /// Takes its type from the schema.
            case text(String)
            case json(JSONValue)
            case file(InputFile)
        }
    }

    /// The maximum size of parameters or of a value that is read from a file: that of an image.
    static let maximumFileBytes = 32 << 20

    /// - Throws: `CommandFailure` with the invalid argument and the reason.
    static func parse(_ arguments: [String]) throws -> CallParameters {
        guard let first = arguments.first else { return .whole(.emptyObject) }
        if arguments.count == 1 {
            if first == InputFile.standardInput { return .whole(try json(in: InputFile(path: first))) }
            if first.hasPrefix("@") { return .whole(try json(in: InputFile(path: String(first.dropFirst())))) }
            if first.drop(while: \.isWhitespace).first == "{" { return .whole(try json(first, "the argument")) }
        }
        return .values(try arguments.map(value))
    }

    /// Whether a value takes its type from the schema of the parameters.
    var needsSchema: Bool {
        guard case .values(let values) = self else { return false }
        return values.contains { if case .json = $0.content { false } else { true } }
    }

    /// - Parameter schema: the schema of the parameters; nil when it is not known.
    /// - Throws: `CommandFailure`, or `RPCError` for a file that cannot be read.
    func json(_ schema: ParameterSchema?) throws -> RawJSON {
        switch self {
        case .whole(let json): return json
        case .values(let values):
            var tree: JSONValue = [:]
            for value in values {
                let own = schema?.at(value.path.steps)
                try tree.insert(
                    value.tree(own), at: value.path.steps[...], named: value.name,
                    isList: own?.types.contains("array") == true)
            }
            return tree.rawJSON
        }
    }

    private static func value(_ argument: String) throws -> Value {
        let shown = Escaping.visible(argument)
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else {
            throw CommandFailure.usage(
                "\"\(shown)\" is neither a JSON object nor key=value",
                hints: ["For JSON from a file or standard input use @FILE or -."])
        }
        var name = argument[..<equals]
        let text = String(argument[argument.index(after: equals)...])
        let isJSON = name.hasSuffix(":")
        if isJSON { name = name.dropLast() }
        guard let path = ParameterPath(name), case .name = path.steps.first else {
            throw CommandFailure.usage("\"\(shown)\": the key must be a name like limit, a.b or items[0].id")
        }
        let content: Value.Content =
            if isJSON {
                .json(try JSONValue(json(text, Escaping.visible(String(name)))))
            } else if text.hasPrefix("@") {
                .file(InputFile(path: String(text.dropFirst())))
            } else {
                .text(text)
            }
        return Value(name: String(name), path: path, content: content)
    }

    private static func json(in file: InputFile) throws -> RawJSON {
        try json(String(decoding: try file.read(upTo: maximumFileBytes).withoutByteOrderMark, as: UTF8.self), file.name)
    }

    /// - Parameter source: where the text is from, for the error.
    private static func json(_ text: String, _ source: String) throws -> RawJSON {
        do throws(JSONError) {
            return try RawJSON(checking: text)
        } catch {
            throw CommandFailure.usage("\(source) is not JSON: \(error.placed(in: text.utf8))")
        }
    }
}

extension CallParameters.Value {
    /// The value in the type of its schema.
    fileprivate func tree(_ schema: ParameterSchema?) throws -> JSONValue {
        switch content {
        case .json(let value): return value
        case .text(let text): return Self.tree(text, schema)
        case .file(let file) where schema?.isBytes == true:
            let data = try file.read(upTo: CallParameters.maximumFileBytes)
            return ["$bytes": ["base64": .string(data.base64EncodedString())]]
        case .file(let file): return Self.tree(try file.text(upTo: CallParameters.maximumFileBytes), schema)
        }
    }

    /// A string if the schema demands one. Otherwise JSON, or a string if the text is not JSON. The service reports a wrong type.
    private static func tree(_ text: String, _ schema: ParameterSchema?) -> JSONValue {
        let types = schema?.types ?? []
        if types.contains("string"), types.isSubset(of: ["string", "null"]) { return .string(text) }
        let value = try? JSONValue(json: text)
        if types.contains("array"), value?.elements == nil { return .array([tree(text, schema?.items)]) }
        return value ?? .string(text)
    }
}

extension JSONValue {
    /// Puts a value at a place that is not taken; a further value of a list is appended.
    fileprivate mutating func insert(
        _ value: JSONValue, at path: ArraySlice<ParameterPath.Step>, named name: String, isList: Bool
    ) throws {
        guard let step = path.first else {
            guard isList, case .array(let others) = self, case .array(let more) = value else {
                throw CommandFailure.usage("\(Escaping.visible(name)) is given more than once")
            }
            self = .array(others + more)
            return
        }
        switch (step, self) {
        case (.name(let member), .object(var members)):
            if members[member] == nil {
                members[member] = try .holding(value, at: path.dropFirst(), named: name)
            } else {
                try members[member]?.insert(value, at: path.dropFirst(), named: name, isList: isList)
            }
            self = .object(members)
        case (.position(let position), .array(var elements)) where position < elements.count:
            try elements[position].insert(value, at: path.dropFirst(), named: name, isList: isList)
            self = .array(elements)
        case (.position(let position), .array(let elements)) where position == elements.count:
            self = .array(elements + [try .holding(value, at: path.dropFirst(), named: name)])
        case (.position(let position), .array(let elements)):
            throw CommandFailure.usage(
                "\(Escaping.visible(name)): [\(position)] must follow [\(elements.count - 1)], without a gap")
        default: throw CommandFailure.usage("\(Escaping.visible(name)) contradicts another argument")
        }
    }

    /// A value inside new objects and arrays.
    private static func holding(
        _ value: JSONValue, at path: ArraySlice<ParameterPath.Step>, named name: String
    ) throws -> JSONValue {
        switch path.first {
        case nil: return value
        case .name(let member):
            return [member: try holding(value, at: path.dropFirst(), named: name)]
        case .position(0): return .array([try holding(value, at: path.dropFirst(), named: name)])
        case .position(let position):
            throw CommandFailure.usage("\(Escaping.visible(name)): begin with [0], not [\(position)]")
        }
    }
}
