import HTTPTypes

/// Finds the endpoint of a request.
struct Router: Sendable {
    private let endpoints: [Endpoint]

    init(_ endpoints: [Endpoint]) { self.endpoints = endpoints }

    enum Route {
        case endpoint(Endpoint, PathTemplate.Value)

        /// The path exists, but not for this method.
        /// - isReadableAcrossSites: whether scripts of other sites may read it.
        case otherMethods(allowed: [String], isReadableAcrossSites: Bool)
        case unknown
    }

    /// - Parameter path: the decoded parts of the request's path.
    func route(_ method: HTTPRequest.Method, _ path: [String]) -> Route {
        let wanted = method == .head ? .get : method
        var others: [Endpoint] = []
        for endpoint in endpoints {
            guard let value = endpoint.path.match(path) else { continue }
            if endpoint.method == wanted { return .endpoint(endpoint, value) }
            others.append(endpoint)
        }
        guard !others.isEmpty else { return .unknown }
        let methods = others.flatMap { $0.method == .get ? ["GET", "HEAD"] : [$0.method.rawValue] }
        return .otherMethods(
            allowed: methods + ["OPTIONS"], isReadableAcrossSites: others.contains(where: \.isReadableAcrossSites))
    }
}
