import JSON

/// Any JSON value.
public enum JSONValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONMembers)

    /// - Throws: `JSONError.syntax` when the text is not exactly one JSON value.
    public init(json text: some Collection<UInt8>) throws(JSONError) {
        self = try RawJSON(checking: text).read(as: Self.codec)
    }

    /// - Throws: `JSONError.syntax` when the text is not exactly one JSON value.
    public init(json text: String) throws(JSONError) { try self.init(json: text.utf8) }

    /// The value as compact JSON. Members keep their order.
    public var json: String { "\(RawJSON(self, as: Self.codec))" }

    public subscript(_ member: String) -> JSONValue? { members?[member] }

    public var members: JSONMembers? { if case .object(let members) = self { members } else { nil } }

    public var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    public var text: String? { if case .string(let text) = self { text } else { nil } }

    public var integer: Int? { if case .integer(let number) = self { number } else { nil } }

    public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

    /// The value of a number or an integer.
    public var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    public static let codec = Codec<JSONValue>(
        schema: JSONSchema(), read: { reader throws(JSONError) in try read(&reader) }, write: { $0.write(to: &$1) })

    /// Recursive; the reader limits the depth.
    private static func read(_ reader: inout JSONReader) throws(JSONError) -> JSONValue {
        switch try reader.peek() {
        case .object:
            var (object, members) = (try reader.beginObject(), JSONMembers())
            while let name = try reader.nextMember(of: &object) { members[reader.decode(name)] = try read(&reader) }
            return .object(members)
        case .array:
            var (array, elements) = (try reader.beginArray(), [JSONValue]())
            while try reader.nextElement(of: &array) { elements.append(try read(&reader)) }
            return .array(elements)
        case .string: return .string(try reader.string())
        case .number:
            var attempt = reader
            do throws(JSONError) {
                let number = try attempt.integer()
                reader = attempt
                return .integer(number)
            } catch {
                return .number(try reader.number())
            }
        case .literal: return try reader.null() ? .null : .boolean(try reader.boolean())
        }
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .boolean(let value): writer.boolean(value)
        case .integer(let number): writer.integer(number)
        case .number(let number): writer.number(number)
        case .string(let text): writer.string(text)
        case .array(let elements): writer.array(elements) { $0.write(to: &$1) }
        case .object(let members):
            writer.object { writer in
                for (name, value) in members {
                    writer.name(name)
                    value.write(to: &writer)
                }
            }
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral text: String) { self = .string(text) }
    public init(integerLiteral number: Int) { self = .integer(number) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral members: (String, JSONValue)...) { self = .object(JSONMembers(members)) }
}

/// The members of an object. They keep their order, but comparison ignores it.
public struct JSONMembers: Sendable, Sequence {
    public private(set) var names: [String] = []
    private var values: [String: JSONValue] = [:]

    public init() {}

    public init(_ members: some Sequence<(String, JSONValue)>) {
        for (name, value) in members { self[name] = value }
    }

    public subscript(_ name: String) -> JSONValue? {
        get { values[name] }
        set {
            let isKnown = values[name] != nil
            values[name] = newValue
            if isKnown, newValue == nil { names.removeAll { $0 == name } }
            if !isKnown, newValue != nil { names.append(name) }
        }
    }

    public var isEmpty: Bool { names.isEmpty }

    public func makeIterator() -> some IteratorProtocol<(String, JSONValue)> {
        names.lazy.compactMap { name in values[name].map { (name, $0) } }.makeIterator()
    }
}

extension JSONMembers: Equatable {
    public static func == (one: JSONMembers, other: JSONMembers) -> Bool { one.values == other.values }
}
