import JSON
import RPC

/// The error of an answer, checked against PROTOCOL.md §3.
struct AnswerError {
    let kind: String
    let message: String
    let json: JSONValue

    /// What breaks the protocol.
    let violations: [Difference]

    init(_ json: JSONValue, at path: String) {
        var violations: [Difference] = []
        self.json = json
        message = json["message"]?.text ?? ""
        if json["message"]?.text == nil { violations.append(Difference("\(path).message", "must be a text")) }
        let code = json["code"]?.integer
        if code == nil { violations.append(Difference("\(path).code", "must be an integer")) }
        let byCode = ErrorKind.allCases.first { $0.code == code }
        // Other data is allowed: the kind follows from the code.
        if let name = json["data"]?["kind"]?.text {
            kind = name
            if let known = ErrorKind(rawValue: name), let code, known.code != code {
                violations.append(Difference("\(path).code", "must be \(known.code) for \(name), is \(code)"))
            }
        } else {
            kind = (byCode ?? .internalError).rawValue
        }
        self.violations = violations
    }

    /// The differences from an expected error: `{"kind", "names"?, "details"?, "retryable"?, "begun"?}`.
    func differences(from expected: JSONValue, _ pattern: inout Pattern, at path: String) throws -> [Difference] {
        guard let members = expected.members else { throw ContractMistake("an error is an object") }
        var result = violations
        for (name, value) in members {
            switch name {
            case "kind": result += try pattern.differences(value, .string(kind), at: "\(path).kind")
            case "names":
                // The protocol demands the path of the member (PROTOCOL.md §3); the other words are free.
                if let member = value.text, !message.contains(member) {
                    result.append(
                        Difference("\(path).message", "must name \(member), is \(JSONValue.string(message).excerpt)"))
                }
            case "details", "retryable", "begun":
                result += try pattern.differences(value, json["data"]?[name] ?? .null, at: "\(path).data.\(name)")
            default: throw ContractMistake("\(name) is not a member of an expected error")
            }
        }
        return result
    }
}
