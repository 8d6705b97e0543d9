import Foundation
import JSON
import RPC

extension Endpoint {
    /// The endpoint of a method that a plugin publishes.
    /// - Parameter description: the plugin's description of the method; nil if it has none. Routing does not need it.
    init(_ route: HTTPRoute, of plugin: Plugin, _ description: MethodDescription? = nil) {
        let variables = Set(route.path.variables.map(\.name))
        let properties = (description?.properties ?? []).filter { !variables.contains($0.0) }
        let required = description?.required ?? []
        let parameters = properties.map { name, schema in
            ParameterDescription(
                name: name, summary: schema.description, schema: schema, isRequired: required.contains(name))
        }
        let body: JSONSchema = [
            "type": .string("object"), "properties": .properties(properties),
            "required": .strings(required.filter { !variables.contains($0) }),
        ]
        let isRead = route.verb == .get
        self.init(
            isRead ? .get : .post, route.path.text, route.method,
            description?.summary ?? "Call \(route.method) of the plugin \(plugin.name).",
            parameters: isRead ? parameters : [], body: isRead ? nil : BodyDescription(body),
            answers: Self.answers(description, isRead: isRead)
        ) { api, request throws(RPCError) in
            try await api.published(route, of: plugin, request)
        }
    }

    private static func answers(_ description: MethodDescription?, isRead: Bool) -> [AnswerDescription] {
        let schema = description.flatMap { try? JSONSchema(reading: $0.result) }
        let result = AnswerDescription(
            status: 200, summary: "The result of the method.", contentType: "application/json", schema: schema)
        let errors: [AnswerDescription] = [
            .problem(400, "A parameter is invalid."), .problem(503, "The plugin does not answer."),
        ]
        guard !isRead else { return [result, .notModified] + errors }
        return [result] + errors + [
            .problem(401, "The bearer token is missing or wrong."),
            .problem(403, "This deployment accepts no writes over HTTP, or the request comes from another site."),
            .problem(413, "The body is too large."), .problem(415, "The body is not JSON."),
        ]
    }
}

extension JSONSchema {
    fileprivate var description: String { if case .string(let text) = self["description"] { text } else { "" } }
}

extension Gateway {
    /// The endpoints of plugins that may match a path. Their descriptions are not needed for routing.
    func publishedEndpoints(at path: [String]) -> [Endpoint] {
        let own = PluginClients.all(in: registry).flatMap { $0.endpoints }.filter { $0.path.match(path) != nil }
        return own
            + registry.plugins.flatMap { plugin in
                plugin.manifest.http.filter { $0.path.match(path) != nil }.map { Endpoint($0, of: plugin) }
            }
    }

    /// Nil also when the plugin does not answer: the endpoint exists nevertheless, and answers 503.
    private func described(_ route: HTTPRoute, of plugin: Plugin) async -> MethodDescription? {
        do throws(RPCError) {
            return try await contracts.method(route.method, of: plugin)
        } catch {
            return nil
        }
    }

    /// All endpoints of plugins, with the plugins' descriptions of them.
    func publishedEndpoints() async -> [Endpoint] {
        let plugins = registry.plugins.filter { !$0.manifest.http.isEmpty }
        // Concurrently, so that several hanging plugins delay the answer no longer than one.
        let own = PluginClients.all(in: registry).flatMap { $0.endpoints }.filter { !$0.answers.isEmpty }
        let published = await withTaskGroup(of: (Int, [Endpoint]).self) { group in
            for (index, plugin) in plugins.enumerated() {
                group.addTask {
                    var endpoints: [Endpoint] = []
                    for route in plugin.manifest.http {
                        let description = await described(route, of: plugin)
                        endpoints.append(Endpoint(route, of: plugin, description))
                    }
                    return (index, endpoints)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.flatMap(\.1)
        }
        return own + published
    }
}
