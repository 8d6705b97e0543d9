import JSON
import RPC

/// Compares what an implementation describes of itself with `contract.json`.
struct DescriptionCheck {
    static let name = "contract.json"

    let contract: JSONValue
    let path: SocketPath

    /// A step without a case, skipped for an implementation that does not describe itself.
    func report(by deadline: Deadline) throws -> StepReport {
        let step = "rpc.describe agrees with contract.json"
        let connection = try CallConnection(to: path, features: [], by: deadline)
        let (id, request) = try connection.send("rpc.describe", [:], by: deadline)
        let answer = try connection.answer(of: id, by: deadline)
        guard let contracts = answer["result"]?["contracts"]?.elements else {
            return StepReport(step, .skipped("the implementation does not describe itself"))
        }
        var exchange = StepExchange()
        exchange.sent = [request]
        let differences = try differences(contracts)
        return StepReport(step, differences.isEmpty ? .passed : .failed(differences), exchange)
    }

    /// What would break callers of the contract.
    private func differences(_ contracts: [JSONValue]) throws -> [Difference] {
        guard let described = contracts.first(where: { $0["name"] == contract["name"] }) else {
            return [Difference("result.contracts", "must have \(contract["name"]?.text ?? "the contract")")]
        }
        do {
            return try ContractDiff(from: contract, to: described).changes.filter(\.isBreaking)
                .map { Difference($0.path, "\($0.description) (\($0.effect.rawValue))") }
        } catch let mistake as ContractMistake {
            return [Difference("result.contracts", mistake.description)]
        }
    }
}
