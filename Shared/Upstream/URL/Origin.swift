/// The scheme, host and port of a connection. Connections are reused and credentials sent within one origin only.
struct Origin: Hashable, Sendable {
    let scheme: HTTPURL.Scheme
    let host: Host
    let port: Int

    var endpoint: UpstreamEndpoint { UpstreamEndpoint(host: host, port: port) }

    /// The value of the Host header.
    var authority: String { port == scheme.port ? "\(host)" : "\(host):\(port)" }
}

extension Origin: CustomStringConvertible {
    var description: String { "\(scheme)://\(authority)" }
}
