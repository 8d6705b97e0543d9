import JSON

/// A method that a plugin publishes over HTTP: in the manifest, `"http": {"GET /v1/likes/{id}": "likes.get"}`.
struct HTTPRoute: Sendable, Equatable {
    enum Verb: String, Sendable {
        /// The method must have no effect: the gateway may call it again.
        case get = "GET"

        /// Needs the bearer token.
        case post = "POST"
    }

    let verb: Verb
    let path: PathTemplate

    /// The method of the plugin.
    let method: String

    /// The maximum number of routes in a manifest.
    static let maximumPerPlugin = 16

    /// The maximum size of a path in bytes, and the maximum number of its parts.
    static let maximumPath = 200
    static let maximumParts = 8

    static let listCodec = Codec<[String: String]>.dictionary(of: .string).map(
        into: { members throws(JSONError) in
            guard members.count <= maximumPerPlugin else {
                throw .refused("must have at most \(maximumPerPlugin) members")
            }
            var routes: [HTTPRoute] = []
            for (key, method) in members.sorted(by: { $0.key < $1.key }) {
                do throws(JSONError) {
                    routes.append(try HTTPRoute(key, method))
                } catch {
                    throw error.inside("\"\(key.prefix(maximumPath))\"")
                }
            }
            return routes
        },
        from: { routes in Dictionary(uniqueKeysWithValues: routes.map { ($0.key, $0.method) }) })

    /// The name of its member in the manifest.
    var key: String { "\(verb.rawValue) \(path.text)" }

    /// - Parameter key: `GET /v1/likes/{id}`.
    private init(_ key: String, _ method: String) throws(JSONError) {
        let words = key.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 2, let verb = Verb(rawValue: words[0]) else {
            throw .refused("must be GET or POST, a space and a path")
        }
        try Self.check(words[1])
        (self.verb, path, self.method) = (verb, PathTemplate(words[1]), method)
    }

    private static func check(_ path: String) throws(JSONError) {
        guard path.hasPrefix("/v1/"), path.utf8.count <= maximumPath else {
            throw .refused("the path must begin with /v1/ and have at most \(maximumPath) bytes")
        }
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= maximumParts else { throw .refused("the path must have at most \(maximumParts) parts") }
        for part in parts where part.wholeMatch(of: /[A-Za-z0-9_~-][A-Za-z0-9._~-]*|\{[a-z][a-z0-9_]*\}/) == nil {
            throw .refused("each part of the path must have letters, digits and ._~- only, or be a name in braces")
        }
        let names = parts.filter { $0.hasPrefix("{") }
        guard Set(names).count == names.count else { throw .refused("the path has a name twice") }
    }
}
