import JSON
import NIOCore
import RPC

/// The manifest of a service behind the gateway: the content of `plugins.d/NAME.json`.
struct PluginManifest: Sendable, Equatable {
    /// The first part of its methods' names: the gateway forwards `NAME.verb` to it.
    let name: String

    /// Its socket; relative to `ROOT/run`.
    let socket: String

    /// The contracts that it must offer, with their versions.
    let contracts: [String: ContractVersions]

    /// Whether the gateway is degraded without it.
    let required: Bool

    /// The maximum timeout of a call in milliseconds; nil if only the caller's timeout applies.
    let timeout: Int?

    /// The program and its arguments, which the gateway runs.
    var run: [String]?

    /// What it adds to the items of the gateway's answers.
    var enriches: [Enrichment] = []

    /// The methods that it publishes over HTTP.
    var http: [HTTPRoute] = []

    /// Whether the manifest says that a method has no effect, so that it may be called again.
    func isRead(_ method: String) -> Bool {
        enriches.contains { $0.method == method } || http.contains { $0.method == method && $0.verb == .get }
    }

    /// The path of its socket.
    func socketPath(root: String) -> String { socket.hasPrefix("/") ? socket : "\(root)/run/\(socket)" }

    /// Whether a connection for the other manifest can be used for this one too.
    func hasSameConnection(as other: PluginManifest) -> Bool {
        socket == other.socket && contracts == other.contracts
    }

    static let codec = Codec<PluginManifest>.object { object in
        let name = object.required("name", PluginName.codec, \.name)
        let socket = object.required("socket", .string, \.socket)
        let contracts = object.required("contracts", .dictionary(of: ContractVersions.codec), \.contracts)
        let required = object.optional("required", .boolean, \.required)
        let timeout = object.optional("timeout_ms", .integer(Limits.timeoutMilliseconds), \.timeout)
        let enriches = object.optional(
            "enriches", .array(of: Enrichment.codec, count: 0...Enrichment.maximumPerPlugin), \.enriches)
        let http = object.optional("http", HTTPRoute.listCodec, \.http)
        let run = object.optional("run", .array(of: wordCodec, count: 1...maximumRunWords), \.run)
        return { members throws(JSONError) in
            let manifest = PluginManifest(
                name: try members[name], socket: try members[socket], contracts: try members[contracts],
                required: try members[required] ?? false, timeout: try members[timeout],
                run: try members[run], enriches: try members[enriches] ?? [], http: try members[http] ?? [])
            try manifest.checkEnrichments()
            try manifest.checkRoutes()
            try manifest.checkProgram()
            return manifest
        }
    }

    private func checkEnrichments() throws(JSONError) {
        for (index, enrichment) in enriches.enumerated() {
            try checkOwn(enrichment.method, at: "enriches[\(index)].method")
            guard !enriches.prefix(index).contains(where: { $0.name == enrichment.name }) else {
                throw .mismatch(path: "enriches[\(index)].as", reason: "the name \(enrichment.name) appears twice")
            }
        }
    }

    private func checkRoutes() throws(JSONError) {
        for (index, route) in http.enumerated() {
            let path = "http.\"\(route.key)\""
            try checkOwn(route.method, at: path)
            for other in http[..<index] {
                // The name of the operation in the description of the API.
                guard other.method != route.method else {
                    throw .mismatch(path: path, reason: "\(route.method) is already published as \(other.key)")
                }
                guard !other.path.overlaps(route.path) || (other.path == route.path && other.verb != route.verb) else {
                    throw .mismatch(path: path, reason: "overlaps \(other.key)")
                }
            }
        }
    }

    /// A plugin can offer only its own methods.
    private func checkOwn(_ method: String, at path: String) throws(JSONError) {
        guard method.hasPrefix(name + "."), method.utf8.count > name.utf8.count + 1 else {
            throw .mismatch(path: path, reason: "must be a method of the plugin: it must begin with \(name).")
        }
    }

    private func checkProgram() throws(JSONError) {
        guard run == nil || !PluginName.programs.contains(name) else {
            throw .mismatch(path: "run", reason: "the deployment itself has a program named \(name)")
        }
    }

    /// The maximum number of words in `run`.
    static let maximumRunWords = 64

    /// A word that a program can take as an argument.
    private static let wordCodec = Codec<String>.string.map(
        describedAs: ["pattern": .string(#"^[^\u0000]*$"#)],
        into: { word throws(JSONError) in
            if word.utf8.contains(0) { throw .refused("must not contain U+0000") }
            return word
        },
        from: { $0 })
}
