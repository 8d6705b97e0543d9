import RPC

/// A running instance, with its optional features and methods.
final class Instance {
    let path: SocketPath

    /// Nil for an instance that runs already.
    let program: StartedProgram?

    private var abilities: Abilities?

    init(_ path: SocketPath, _ program: StartedProgram? = nil) {
        self.path = path
        self.program = program
    }

    /// Why a case cannot be played against this implementation; nil if it can.
    func reasonToSkip(_ contractCase: ContractCase, _ deadline: Deadline) throws -> String? {
        guard !contractCase.features.isEmpty || !contractCase.methods.isEmpty else { return nil }
        let abilities = try self.abilities ?? Abilities(of: path, by: deadline)
        self.abilities = abilities
        if let feature = contractCase.features.first(where: { !abilities.features.contains($0) }) {
            return "the implementation does not offer the feature \(feature)"
        }
        if let method = contractCase.methods.first(where: { !abilities.methods.contains($0) }) {
            return "the implementation does not describe the method \(method)"
        }
        return nil
    }
}

/// The optional features and the methods of an implementation.
struct Abilities {
    /// The negotiated features of PROTOCOL.md §4; `hello` and `describe` for `rpc.hello` and `rpc.describe`.
    let features: Set<String>
    let methods: Set<String>

    init(of path: SocketPath, by deadline: Deadline) throws {
        let greeted = try CallConnection(to: path, features: CallConnection.features, by: deadline)
        // Without features, so that the answer comes in one frame.
        let connection = try CallConnection(to: path, features: [], by: deadline)
        let answer = try connection.answer(of: connection.send("rpc.describe", [:], by: deadline).id, by: deadline)
        features = greeted.negotiated
            .union(greeted.isGreeted ? ["hello"] : []).union(answer["result"] == nil ? [] : ["describe"])
        let contracts = answer["result"]?["contracts"]?.elements ?? []
        methods = Set(contracts.flatMap { $0["methods"]?.elements ?? [] }.compactMap { $0["name"]?.text })
    }
}
