import JSON

@testable import RPC

/// A parsed JSON value, to compare the results of two readers. Strings are compared by code points.
indirect enum JSONTree: Equatable {
    case object([(name: [UInt8], value: JSONTree)])
    case array([JSONTree])
    case string([UInt8])
    case number(String)
    case boolean(Bool)
    case null

    init(_ json: RawJSON) throws(JSONError) {
        self = try json.bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
            var reader = JSONReader(checking: bytes)
            return try JSONTree(&reader)
        }
    }

    init(_ reader: inout JSONReader) throws(JSONError) {
        switch try reader.peek() {
        case .object:
            var members: [(name: [UInt8], value: JSONTree)] = []
            var object = try reader.beginObject()
            while let name = try reader.nextMember(of: &object) {
                members.append((Array(reader.decode(name).utf8), try JSONTree(&reader)))
            }
            self = .object(members)
        case .array:
            var elements: [JSONTree] = []
            var array = try reader.beginArray()
            while try reader.nextElement(of: &array) { elements.append(try JSONTree(&reader)) }
            self = .array(elements)
        case .string: self = .string(Array(try reader.string().utf8))
        case .number:
            let bytes = reader.bytes
            self = .number(String(decoding: bytes[try reader.skipValue()], as: UTF8.self))
        case .literal: self = try reader.null() ? .null : .boolean(try reader.boolean())
        }
    }

    func write(to writer: inout JSONWriter) {
        switch self {
        case .object(let members):
            writer.object { writer in
                for (name, value) in members {
                    writer.name(String(decoding: name, as: UTF8.self))
                    value.write(to: &writer)
                }
            }
        case .array(let elements): writer.array(elements) { $0.write(to: &$1) }
        case .string(let utf8): writer.string(String(decoding: utf8, as: UTF8.self))
        case .number(let text): writer.raw(RawJSON(unchecked: Array(text.utf8)))
        case .boolean(let value): writer.boolean(value)
        case .null: writer.null()
        }
    }

    static func == (a: JSONTree, b: JSONTree) -> Bool {
        switch (a, b) {
        case (.object(let a), .object(let b)):
            a.elementsEqual(b) { $0.name == $1.name && $0.value == $1.value }
        case (.array(let a), .array(let b)): a == b
        case (.string(let a), .string(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        case (.boolean(let a), .boolean(let b)): a == b
        case (.null, .null): true
        default: false
        }
    }

    /// Whether all numbers fit into a `Double`, as other readers require.
    var isWithinDouble: Bool {
        switch self {
        case .object(let members): members.allSatisfy(\.value.isWithinDouble)
        case .array(let elements): elements.allSatisfy(\.isWithinDouble)
        case .number(let text): Double(text)?.isFinite ?? false
        case .string, .boolean, .null: true
        }
    }
}
