import JSON

/// A place in a schema (RFC 6901): the names and indexes from its root.
struct SchemaPointer: Hashable, CustomStringConvertible {
    static let root = SchemaPointer(steps: [])

    private let steps: [String]

    private init(steps: [String]) { self.steps = steps }

    /// - Parameter reference: `#` or `#/$defs/NAME`; nil for a reference that leads out of the schema.
    init?(reference: String) {
        if reference == "#" {
            steps = []
        } else if reference.hasPrefix("#/") {
            steps = reference.dropFirst(2).split(separator: "/", omittingEmptySubsequences: false).map {
                String($0).replacing("~1", with: "/").replacing("~0", with: "~")
            }
        } else {
            return nil
        }
    }

    func appending(_ step: String) -> SchemaPointer { SchemaPointer(steps: steps + [step]) }

    /// The value at the place; nil when there is none.
    func target(in root: JSONValue) -> JSONValue? {
        var value = root
        for step in steps {
            let elements = value.elements
            guard
                let next = value[step]
                    ?? Int(step).flatMap({ elements?.indices.contains($0) == true ? elements?[$0] : nil })
            else { return nil }
            value = next
        }
        return value
    }

    var description: String {
        "#" + steps.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }
}
