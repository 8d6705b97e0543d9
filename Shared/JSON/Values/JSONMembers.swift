/// The members of an object. They keep their order, but comparison ignores it.
public struct JSONMembers: Sendable, Sequence {
    public private(set) var names: [String] = []
    private var values: [Name: JSONValue] = [:]

    /// A name, compared by code points: a reader accepts two normalisations of one text as two members.
    private struct Name: Hashable {
        let text: String

        static func == (one: Name, other: Name) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    public init() {}

    public init(_ members: some Sequence<(String, JSONValue)>) {
        for (name, value) in members { self[name] = value }
    }

    public subscript(_ name: String) -> JSONValue? {
        get { values[Name(text: name)] }
        set {
            let key = Name(text: name)
            let isKnown = values[key] != nil
            values[key] = newValue
            if isKnown, newValue == nil { names.removeAll { Name(text: $0) == key } }
            if !isKnown, newValue != nil { names.append(name) }
        }
    }

    public var isEmpty: Bool { names.isEmpty }

    public func makeIterator() -> some IteratorProtocol<(String, JSONValue)> {
        names.lazy.compactMap { name in self[name].map { (name, $0) } }.makeIterator()
    }
}

extension JSONMembers: Equatable {
    public static func == (one: JSONMembers, other: JSONMembers) -> Bool { one.values == other.values }
}
