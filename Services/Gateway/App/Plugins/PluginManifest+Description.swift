import JSON
import RPC
import ServiceKit

extension PluginManifest {
    /// What the manifest names and the plugin does not have.
    /// - Parameter methods: the methods that the plugin describes. If it describes none, nothing is known.
    func faults(beside methods: [MethodDescription]) -> [String] {
        guard !methods.isEmpty else { return [] }
        let enriching = enriches.compactMap { enrichment in
            fault(of: enrichment.method, in: methods).map { "enriches: \($0)" }
        }
        let publishing = http.flatMap { route in
            if let fault = fault(of: route.method, in: methods) { return ["http: \(route.key): \(fault)"] }
            let described = methods.first { $0.name == route.method }
            return (described?.faults(of: route.path) ?? []).map { "http: \(route.key): \($0)" }
        }
        return (enriching + publishing).map(Escaping.visible)
    }

    private func fault(of method: String, in methods: [MethodDescription]) -> String? {
        guard !methods.contains(where: { $0.name == method }) else { return nil }
        // The service's name, which is the same in all of them, must not make them similar.
        let verb = method.dropFirst(name.count + 1)
        let verbs = methods.map(\.name).filter { $0.hasPrefix(name + ".") }.map { String($0.dropFirst(name.count + 1)) }
        let nearest = Nearest.to(String(verb), among: verbs).map { "; did you mean \(name).\($0)?" } ?? ""
        return "the plugin does not describe \(method)\(nearest)"
    }
}

extension MethodDescription {
    /// The variables of a path that are no parameters of the method.
    fileprivate func faults(of path: PathTemplate) -> [String] {
        guard let schema = try? JSONSchema(reading: params), case .properties(let properties) = schema["properties"]
        else { return [] }
        switch schema["additionalProperties"] {
        case nil, .boolean(false): break
        default: return []
        }
        let names = properties.map(\.0)
        return path.variables.map(\.name).filter { !names.contains($0) }.map { variable in
            let nearest = Nearest.to(variable, among: names).map { "; did you mean {\($0)}?" } ?? ""
            return "\(name) has no parameter \(variable)\(nearest)"
        }
    }
}
