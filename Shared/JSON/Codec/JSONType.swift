/// The types of JSON values, by their names in JSON Schema.
enum JSONType: String {
    case string, integer, number, boolean, array, object

    /// - Parameter schema: nil is returned when it allows any other number of types than one.
    init?(_ schema: JSONSchema) {
        guard case .string(let name) = schema["type"] else { return nil }
        self.init(rawValue: name)
    }

    /// What its values begin with.
    var token: JSONReader.Token {
        switch self {
        case .string: .string
        case .integer, .number: .number
        case .boolean: .literal
        case .array: .array
        case .object: .object
        }
    }

    /// As it stands after "must be".
    var phrase: String {
        switch self {
        case .string: "a string"
        case .integer: "an integer"
        case .number: "a number"
        case .boolean: "true or false"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
