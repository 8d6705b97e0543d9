import JSON
import RPC

extension ContractSuite {
    /// Where an answer violates the declaration of its method; empty without contract.json.
    func violations(of answer: JSONValue?, to method: String) -> [Difference] {
        let declared = contract?["methods"]?.elements?.first { $0["name"]?.text == method }
        guard let answer, let declared else { return [] }
        if let error = answer["error"] ?? answer["end"]?["error"] { return undeclared(error, of: declared) }
        guard let schema = declared["result"] else { return [] }
        let check = SchemaCheck(schema)
        if let result = answer["result"], declared["streams"] != true {
            return check.differences(result, at: "result")
        }
        let items = declared["streams"] == true ? answer["items"]?.elements ?? [] : []
        return items.enumerated().flatMap { index, item in check.differences(item, at: "items[\(index)]") }
    }

    /// Callers handle the errors that a method declares, and those of every method.
    private func undeclared(_ error: JSONValue, of method: JSONValue) -> [Difference] {
        let kind = AnswerError(error, at: "error").kind
        let kinds = (method["errors"]?.elements ?? []).compactMap(\.text)
        guard ErrorKind(rawValue: kind)?.isUniversal != true, !kinds.contains(kind) else { return [] }
        return [
            Difference("error.kind", "must be one that \(method["name"]?.text ?? "the method") declares, is \(kind)")
        ]
    }
}
