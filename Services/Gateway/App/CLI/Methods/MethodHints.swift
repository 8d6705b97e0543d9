import JSON
import RPC

/// Suggestions for a call that a service has refused.
struct MethodHints {
    let methods: [MethodDescription]

    /// For a method that does not exist.
    func missing(_ method: String) -> [String] {
        if let name = Nearest.to(method, among: methods.map(\.name)) { return ["Did you mean \(name)?"] }
        let service = method.prefix { $0 != "." }
        let own = methods.map(\.name).filter { $0.hasPrefix("\(service).") }
        return [
            own.isEmpty
                ? "List all methods with: gateway describe"
                : "\(service) has these methods: \(own.joined(separator: ", "))"
        ]
    }

    /// For a parameter that does not exist or that is missing, in the message of an `invalid_params`: `params.limt: …`.
    /// - Parameter params: the parameters of the call.
    func wrongParameter(_ message: String, of method: String, in params: RawJSON) -> [String] {
        guard let method = methods.first(where: { $0.name == method }), message.hasPrefix("params"),
            let path = ParameterPath(message.dropFirst("params.".count).prefix { $0 != ":" }),
            case .name(let name)? = path.steps.last,
            let object = ParameterSchema(method.params).at(path.steps.dropLast()), object.values == nil
        else { return [] }
        let names = object.members.map(\.name)
        guard !names.contains(name) else {
            // Some services look for missing members before unknown ones.
            let given = value(in: params, at: path.steps.dropLast())?.members?.names ?? []
            let unknown = given.filter { !names.contains($0) }
            guard !given.contains(name), let typed = Nearest.to(name, among: unknown) else { return [] }
            return ["Did you mean \(name) in place of \(typed)?"]
        }
        let takes = names.isEmpty ? "It takes no parameters." : "It takes \(names.joined(separator: ", "))."
        return [(Nearest.to(name, among: names).map { "Did you mean \($0)? " } ?? "") + takes]
    }

    /// Nil when there is none at the path.
    private func value(in params: RawJSON, at path: ArraySlice<ParameterPath.Step>) -> JSONValue? {
        path.reduce(try? JSONValue(params)) { value, step in
            switch step {
            case .name(let name): value?[name]
            case .position(let position): value?.elements.flatMap { position < $0.count ? $0[position] : nil }
            }
        }
    }
}
