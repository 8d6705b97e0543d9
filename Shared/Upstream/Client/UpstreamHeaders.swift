/// Header names and values, in the order in which they are sent or were received. Names are case-insensitive.
public struct UpstreamHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// One header.
    public struct Field: Sendable, Equatable {
        public let name: String
        public let value: String
    }

    public private(set) var fields: [Field] = []

    public init(dictionaryLiteral elements: (String, String)...) { self.init(elements) }

    public init(_ fields: some Sequence<(String, String)>) {
        for (name, value) in fields { add(name, value) }
    }

    /// The first value of this name.
    public subscript(name: String) -> String? { fields.first { Self.isSame($0.name, name) }?.value }

    /// All values of this name, unchanged.
    public func all(_ name: String) -> [String] { fields.filter { Self.isSame($0.name, name) }.map(\.value) }

    /// Adds a value. Existing values of the name stay.
    public mutating func add(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    /// Removes all values of this name.
    public mutating func remove(_ name: String) { fields.removeAll { Self.isSame($0.name, name) } }

    private static func isSame(_ a: String, _ b: String) -> Bool {
        a.utf8.count == b.utf8.count && a.lowercased() == b.lowercased()
    }
}
