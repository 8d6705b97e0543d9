import JSON

extension ContractSuite {
    /// Where an answer violates the schema of its method; empty without contract.json.
    func violations(of answer: JSONValue?, to method: String) -> [Difference] {
        let declared = contract?["methods"]?.elements?.first { $0["name"]?.text == method }
        guard let answer, let schema = declared?["result"] else { return [] }
        let check = SchemaCheck(schema)
        if let result = answer["result"], declared?["streams"] != true {
            return check.differences(result, at: "result")
        }
        let items = declared?["streams"] == true ? answer["items"]?.elements ?? [] : []
        return items.enumerated().flatMap { index, item in check.differences(item, at: "items[\(index)]") }
    }
}
