/// The settings of the client.
public struct UpstreamSettings: Sendable {
    public var limits = UpstreamLimits()

    /// Ports that are allowed at public addresses, in addition to 80 and 443.
    public var ports: Set<Int> = []

    /// The endpoints that the operator named. Any address and port is allowed for them, unless it is `denied`.
    public var trusted: Set<UpstreamEndpoint> = []

    /// Certificate pins. A host with pins is contacted over TLS only, and must match one of them.
    public var pins: Set<CertificatePin> = []

    /// Blocks of refused addresses. They take precedence over `trusted`.
    public var denied: [AddressRange] = []

    /// Certificate authorities that are trusted in addition to the system's.
    public var authorities: [CertificateAuthorities] = []

    /// The User-Agent header.
    public var userAgent = "image-feed"

    /// The defaults: the public internet only.
    public init() {}
}

extension UpstreamSettings {
    /// Checks that no setting contradicts another one.
    /// - Parameter upstream: the base URL that most requests will have.
    public func check(_ upstream: UpstreamBase?) throws(UpstreamOptionError) {
        for endpoint in trusted {
            guard case .address(let address) = endpoint.host,
                let range = denied.first(where: { $0.contains(address) || $0.contains(embeddedIn: address) })
            else { continue }
            throw UpstreamOptionError("\(endpoint) is \(range.kind), but another option allows it")
        }
        // The client would refuse every request to it.
        if let upstream, upstream.url.scheme?.lowercased() == "http",
            pins.contains(where: { $0.host == upstream.endpoint.host })
        {
            throw UpstreamOptionError(
                "--pin \(upstream.endpoint.host): a host with a pin needs https, not \(upstream)")
        }
    }
}
