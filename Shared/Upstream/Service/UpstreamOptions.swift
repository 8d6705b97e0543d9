import ArgumentParser
import Foundation

/// The options of a service that can read from an upstream.
public struct UpstreamOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Read from the HTTP API below this URL, and keep what comes for when it does not answer.",
            discussion:
                "Another deployment, or any server with the same API. Without it, the service is the authority.",
            valueName: "url"),
        transform: { try UpstreamBase($0) })
    public var upstream: UpstreamBase?

    @Option(
        name: .customLong("allow-private-upstream"),
        help: ArgumentHelp(
            "Ask this host and port too, though its address is not public. May be given several times.",
            valueName: "host:port"),
        transform: { try UpstreamEndpoint($0) })
    public var privateEndpoints: [UpstreamEndpoint] = []

    @Option(
        name: .customLong("deny-upstream"),
        help: ArgumentHelp(
            "Refuse the addresses of this block, such as 203.0.113.0/24. May be given several times.",
            discussion: "It overrides everything that allows them, --upstream and --allow-private-upstream included.",
            valueName: "cidr"),
        transform: { try AddressRange(cidr: $0) })
    public var denied: [AddressRange] = []

    @Option(
        name: .customLong("pin"),
        help: ArgumentHelp(
            "Ask this host only if its certificate has this public key. May be given several times.",
            discussion: "Several keys of a host are alternatives. A key of its authority does not count.",
            valueName: "host=sha256/base64"),
        transform: { try CertificatePin($0) })
    public var pins: [CertificatePin] = []

    @Option(
        name: .customLong("upstream-ca"),
        help: ArgumentHelp(
            "Trust the certificate authorities of this file (PEM), beside the system's. May be given several times.",
            valueName: "file"),
        transform: { try CertificateAuthorities(file: $0) })
    public var authorities: [CertificateAuthorities] = []

    public init() {}

    public func validate() throws {
        for endpoint in settings.trusted {
            guard case .address(let address) = endpoint.host,
                let range = denied.first(where: { $0.contains(address) || $0.contains(embeddedIn: address) })
            else { continue }
            throw ValidationError("\(endpoint) is \(range.kind), but another option asks for it")
        }
        // It would not be asked at all.
        if let upstream, upstream.url.scheme?.lowercased() == "http", pins.contains(where: { upstream.isAt($0.host) }) {
            throw ValidationError(
                "--pin \(upstream.endpoint.host): a host with a pin is asked over https, not \(upstream)")
        }
    }

    /// Checks that no other option was given without --upstream, for a service that then fetches nothing.
    public func requireUpstream() throws {
        guard upstream == nil, !privateEndpoints.isEmpty || !pins.isEmpty || !denied.isEmpty || !authorities.isEmpty
        else {
            return
        }
        throw ValidationError(
            "--allow-private-upstream, --deny-upstream, --pin and --upstream-ca say nothing without --upstream URL")
    }

    /// What the operator has named may be asked wherever it is, unless it is denied.
    public var settings: UpstreamSettings {
        var settings = UpstreamSettings()
        settings.trusted = Set(privateEndpoints + (upstream.map { [$0.endpoint] } ?? []))
        settings.pins = Set(pins)
        settings.denied = denied
        settings.authorities = authorities
        return settings
    }
}
