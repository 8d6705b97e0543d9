/// What an operator may set.
public struct UpstreamSettings: Sendable {
    public var limits = UpstreamLimits()

    /// Ports that may be asked beside 80 and 443, at public addresses.
    public var ports: Set<Int> = []

    /// The only exceptions to the rules about addresses and ports: what the operator named may be anywhere that is not
    /// `denied`.
    public var trusted: Set<UpstreamEndpoint> = []

    /// Hosts with pins are spoken to over TLS only, and only if one of their pins fits.
    public var pins: Set<CertificatePin> = []

    /// Blocks whose addresses are refused, whatever else allows them: public ones, and those of `trusted`, too.
    public var denied: [AddressRange] = []

    /// Certificate authorities that are trusted beside those of the system.
    public var authorities: [CertificateAuthorities] = []

    /// What every request says it comes from.
    public var userAgent = "image-feed"

    /// The defaults: the public internet, without exceptions.
    public init() {}
}
