import ArgumentParser
import Foundation
import ServiceKit
import Upstream

/// The options of a service that can read from an upstream.
public struct UpstreamOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Read from the HTTP API below this URL, and cache its answers.",
            discussion:
                "Another deployment, or any server with the same API. Without it, the service is the authority.",
            valueName: "url"),
        transform: { try UpstreamBase($0) })
    public var upstream: UpstreamBase?

    @Option(
        name: .customLong("allow-private-upstream"),
        help: ArgumentHelp(
            "Allow requests to this host and port, even at a private address. Repeatable.",
            valueName: "host:port"),
        transform: { try UpstreamEndpoint($0) })
    public var privateEndpoints: [UpstreamEndpoint] = []

    @Option(
        name: .customLong("deny-upstream"),
        help: ArgumentHelp(
            "Refuse the addresses of this block, such as 203.0.113.0/24. Repeatable.",
            discussion: "It takes precedence over --upstream and --allow-private-upstream.",
            valueName: "cidr"),
        transform: { try AddressRange(cidr: $0) })
    public var denied: [AddressRange] = []

    @Option(
        name: .customLong("pin"),
        help: ArgumentHelp(
            "Accept this host only if its own certificate has this public key. Repeatable.",
            discussion: "Several keys of a host are alternatives. The keys of certificate authorities do not count.",
            valueName: "host=sha256/base64"),
        transform: { try CertificatePin($0) })
    public var pins: [CertificatePin] = []

    @Option(
        name: .customLong("upstream-ca"),
        help: ArgumentHelp(
            "Trust the certificate authorities in this file (PEM), in addition to the system's. Repeatable.",
            valueName: "file"),
        transform: { try CertificateAuthorities(file: $0) })
    public var authorities: [CertificateAuthorities] = []

    @Option(
        help: ArgumentHelp(
            "Name this address in the header User-Agent of requests, for the operators of other servers.",
            valueName: "url|mail"),
        transform: { text in
            guard (1...200).contains(text.utf8.count),
                text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"()\\".utf8.contains($0) })
            else { throw ValidationError("must be a URL or a mail address of at most 200 characters") }
            return text
        })
    public var contact: String?

    public init() {}

    public func validate() throws {
        do throws(UpstreamOptionError) {
            try settings.check(upstream)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// The client's settings. Hosts that the operator named are allowed at any address that is not denied.
    public var settings: UpstreamSettings {
        var settings = UpstreamSettings()
        settings.trusted = Set(privateEndpoints + (upstream.map { [$0.endpoint] } ?? []))
        settings.pins = Set(pins)
        settings.denied = denied
        settings.authorities = authorities
        settings.userAgent = "image-feed/\(ServiceProcess.version)" + (contact.map { " (+\($0))" } ?? "")
        return settings
    }

    /// The settings of a client for `UpstreamEvents`.
    public var eventsSettings: UpstreamSettings {
        var settings = settings
        settings.limits = UpstreamEvents.limits(settings.limits)
        return settings
    }
}
