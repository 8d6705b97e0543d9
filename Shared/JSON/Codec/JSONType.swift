/// The types of JSON values, named as in JSON Schema.
enum JSONType: String {
    case string, integer, number, boolean, array, object

    /// - Parameter schema: the result is nil unless it allows exactly one type.
    init?(_ schema: JSONSchema) {
        guard case .string(let name) = schema["type"] else { return nil }
        self.init(rawValue: name)
    }

    /// The token that its values begin with.
    var token: JSONReader.Token {
        switch self {
        case .string: .string
        case .integer, .number: .number
        case .boolean: .literal
        case .array: .array
        case .object: .object
        }
    }

    /// Completes the message "must be …".
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
