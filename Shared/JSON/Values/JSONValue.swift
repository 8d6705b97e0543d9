/// Any JSON value. Members keep their order, and numbers their text.
public enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONMembers)

    public static func integer(_ number: Int) -> JSONValue { .number(JSONNumber(number)) }

    /// - Throws: `JSONError.syntax` when the text is not exactly one JSON value.
    public init(json text: some Collection<UInt8>) throws(JSONError) { try self.init(RawJSON(checking: text)) }

    /// - Throws: `JSONError.syntax` when the text is not exactly one JSON value.
    public init(json text: String) throws(JSONError) { try self.init(json: text.utf8) }

    /// - Throws: `JSONError.syntax` when the value is nested deeper than `JSONReader.maximumDepth`. Checked text is not.
    public init(_ json: RawJSON) throws(JSONError) { self = try json.read(as: Self.codec) }

    /// The value as compact JSON. Members keep their order.
    public var json: String { "\(rawJSON)" }

    public var rawJSON: RawJSON { RawJSON(self, as: Self.codec) }

    public subscript(_ member: String) -> JSONValue? { members?[member] }

    public var members: JSONMembers? { if case .object(let members) = self { members } else { nil } }

    public var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    public var text: String? { if case .string(let text) = self { text } else { nil } }

    public var number: JSONNumber? { if case .number(let number) = self { number } else { nil } }

    public var integer: Int? { number?.integer }

    public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }

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
            let range = try reader.skipValue()
            return .number(JSONNumber(unchecked: String(decoding: reader.bytes[range], as: UTF8.self)))
        case .literal: return try reader.null() ? .null : .boolean(try reader.boolean())
        }
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .boolean(let value): writer.boolean(value)
        case .number(let number): writer.raw(RawJSON(unchecked: Array(number.text.utf8)))
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

extension JSONValue: Equatable {
    /// Numbers are equal when their values are, objects when their members are, in any order. Strings are compared by code points:
    /// two normalisations of one text are different.
    public static func == (one: JSONValue, other: JSONValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.boolean(let one), .boolean(let other)): one == other
        case (.number(let one), .number(let other)): one == other
        case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        default: false
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

extension JSONValue: CustomStringConvertible {
    public var description: String { json }
}
