import JSON

/// A JSON value whose objects keep the order of their members: to read schemas, and to build parameters from single values.
indirect enum JSONTree: Sendable, Equatable {
    case object([Member])
    case array([JSONTree])
    case string(String)

    /// A number, a literal, or any value that remains unparsed.
    case raw(RawJSON)

    struct Member: Sendable, Equatable {
        let name: String
        var value: JSONTree
    }

    /// - Parameter json: nested at most `JSONReader.maximumDepth` levels, as every checked text is.
    init(_ json: RawJSON) {
        self =
            json.bytes.withUnsafeBufferPointer { bytes in
                var reader = JSONReader(trusting: bytes)
                return try? JSONTree(&reader)
            } ?? .raw(json)
    }

    private init(_ reader: inout JSONReader) throws(JSONError) {
        switch try reader.peek() {
        case .object:
            var members: [Member] = []
            var object = try reader.beginObject()
            while let name = try reader.nextMember(of: &object) {
                members.append(Member(name: reader.decode(name), value: try JSONTree(&reader)))
            }
            self = .object(members)
        case .array:
            var elements: [JSONTree] = []
            var array = try reader.beginArray()
            while try reader.nextElement(of: &array) { elements.append(try JSONTree(&reader)) }
            self = .array(elements)
        case .string: self = .string(try reader.string())
        case .number, .literal:
            let range = try reader.skipValue()
            self = .raw(RawJSON(unchecked: Array(reader.bytes[range])))
        }
    }

    /// The member with a name; nil also for a value that is no object.
    subscript(_ name: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The value at a path; nil when there is none.
    func at(_ path: some Sequence<ParameterPath.Step>) -> JSONTree? {
        path.reduce(self as JSONTree?) { tree, step in
            switch step {
            case .name(let name): tree?[name]
            case .position(let position): tree?.elements.flatMap { position < $0.count ? $0[position] : nil }
            }
        }
    }

    var elements: [JSONTree]? { if case .array(let elements) = self { elements } else { nil } }
    var members: [Member]? { if case .object(let members) = self { members } else { nil } }
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var integer: Int? { if case .raw(let json) = self { Int("\(json)") } else { nil } }

    var json: RawJSON {
        var writer = JSONWriter()
        write(to: &writer)
        return RawJSON(unchecked: writer.bytes)
    }

    private func write(to writer: inout JSONWriter) {
        switch self {
        case .object(let members):
            writer.object { writer in
                for member in members {
                    writer.name(member.name)
                    member.value.write(to: &writer)
                }
            }
        case .array(let elements): writer.array(elements) { $0.write(to: &$1) }
        case .string(let text): writer.string(text)
        case .raw(let json): writer.raw(json)
        }
    }
}
