/// Decides who may be connected to.
struct AddressGuard: Sendable {
    private let ports: Set<Int>
    private let trusted: Set<UpstreamEndpoint>
    private let pinned: Set<Host>

    init(_ settings: UpstreamSettings) {
        ports = settings.ports.union([80, 443])
        trusted = settings.trusted
        pinned = Set(settings.pins.map(\.host))
    }

    /// What the URL alone tells, before anybody is asked about a name.
    func check(_ origin: Origin) throws(UpstreamError) {
        if origin.scheme == .http, pinned.contains(origin.host) { throw .refused(.pinnedWithoutTLS("\(origin.host)")) }
        guard !trusted.contains(origin.endpoint) else { return }
        guard ports.contains(origin.port) else { throw .refused(.portNotAllowed("\(origin.endpoint)")) }
        if case .address(let address) = origin.host { try check([address], of: origin) }
    }

    /// All of them: a name that has a bad address among good ones is one that somebody plays tricks with.
    func check(_ addresses: [IPAddress], of origin: Origin) throws(UpstreamError) {
        guard !trusted.contains(origin.endpoint) else { return }
        for address in addresses {
            guard let kind = address.whyNotPublic else { continue }
            throw .refused(.address("\(address)", kind: kind, endpoint: "\(origin.endpoint)"))
        }
    }
}
