/// Decides which servers the client may connect to.
struct AddressGuard: Sendable {
    private let ports: Set<Int>
    private let trusted: Set<UpstreamEndpoint>
    private let denied: [AddressRange]
    private let pinned: Set<Host>

    init(_ settings: UpstreamSettings) {
        ports = settings.ports.union([80, 443])
        trusted = settings.trusted
        denied = settings.denied
        pinned = Set(settings.pins.map(\.host))
    }

    /// Checks what the URL alone shows, before a name is looked up.
    func check(_ origin: Origin) throws(UpstreamError) {
        if origin.scheme == .http, pinned.contains(origin.host) { throw .refused(.pinnedWithoutTLS("\(origin.host)")) }
        guard trusted.contains(origin.endpoint) || ports.contains(origin.port) else {
            throw .refused(.portNotAllowed("\(origin.endpoint)"))
        }
        if case .address(let address) = origin.host { try check([address], of: origin) }
    }

    /// Checks all addresses of a name: one forbidden address among allowed ones suggests an attack.
    func check(_ addresses: [IPAddress], of origin: Origin) throws(UpstreamError) {
        for address in addresses {
            guard let range = denied.first(where: { $0.contains(address) || $0.contains(embeddedIn: address) }) else {
                continue
            }
            throw .refused(.denied("\(address)", kind: range.kind, endpoint: "\(origin.endpoint)"))
        }
        guard !trusted.contains(origin.endpoint) else { return }
        for address in addresses {
            guard let kind = address.whyNotPublic else { continue }
            throw .refused(.address("\(address)", kind: kind, endpoint: "\(origin.endpoint)"))
        }
    }
}
