import JSON

/// A contract, checked and in the form that the writers of clients need.
struct DeclaredContract {
    let name: String
    let version: Int
    let methods: [DeclaredMethod]

    /// All declared errors of the methods, each once.
    let errors: [String]

    init(_ json: JSONValue) throws {
        guard let name = json["name"]?.text, let version = json["version"]?.integer,
            let methods = json["methods"]?.elements
        else {
            throw ContractMistake("a contract is an object with a name, a version and methods")
        }
        guard Self.isName(name) else { throw ContractMistake("\(name) is not the name of a contract") }
        self.name = name
        self.version = version
        self.methods = try methods.map(DeclaredMethod.init)
        errors = self.methods.flatMap(\.errors).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Names become code, so they must be words.
    static func isName(_ name: String) -> Bool { name.wholeMatch(of: /[a-z][a-z0-9_-]*/) != nil }
}

struct DeclaredMethod {
    let name: String
    let summary: String
    let params: JSONValue
    let result: JSONValue
    let streams: Bool
    let errors: [String]

    /// The part after the service's name.
    var verb: String { String(name.split(separator: ".").last ?? "") }

    init(_ json: JSONValue) throws {
        guard let name = json["name"]?.text, let params = json["params"], let result = json["result"] else {
            throw ContractMistake("a method is an object with a name, params and a result")
        }
        errors = (json["errors"]?.elements ?? []).compactMap(\.text)
        guard (name.split(separator: ".").map(String.init) + errors).allSatisfy(DeclaredContract.isName) else {
            throw ContractMistake("\(name) is not the name of a method, or an error of it is not a kind")
        }
        self.name = name
        // One line, without characters that end a comment or a string of the written code.
        summary = (json["summary"]?.text ?? "").replacing(/[\r\n]/, with: " ").replacing("*/", with: "* /")
            .replacing("\\", with: "/").replacing("\"", with: "'")
        self.params = params
        self.result = result
        streams = json["streams"] == true
    }

    /// The parameters in the order of their declaration; the required ones first.
    var parameters: [(name: String, schema: JSONValue, isRequired: Bool)] {
        let required = (params["required"]?.elements ?? []).compactMap(\.text)
        let all = (params["properties"]?.members ?? JSONMembers()).map { ($0, $1, required.contains($0)) }
        return all.filter(\.2) + all.filter { !$0.2 }
    }
}

extension String {
    /// `image-data.load_all` as `ImageDataLoadAll`.
    var capitalizedWords: String {
        split { !$0.isLetter && !$0.isNumber }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
