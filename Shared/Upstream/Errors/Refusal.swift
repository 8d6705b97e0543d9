extension UpstreamError {
    /// The rule that a request or a redirect violates.
    public enum Refusal: Sendable, Equatable {
        case tooLong(bytes: Int, limit: Int)
        case character(UInt8)
        case scheme(String)
        case credentials
        case host(String)
        case port(String)
        case portNotAllowed(String)
        case address(String, kind: String, endpoint: String)
        case denied(String, kind: String, endpoint: String)
        case downgrade(to: String)
        case pinnedWithoutTLS(String)
        case header(String)
    }
}

extension UpstreamError.Refusal: CustomStringConvertible {
    /// The reason and the remedy, for the operator.
    public var description: String {
        switch self {
        case .tooLong(let bytes, let limit): "the URL has \(bytes) bytes, the limit is \(limit)"
        case .character(let byte):
            "the URL has the byte 0x\(String(byte, radix: 16)): spaces, control characters, backslashes, quotes and "
                + "characters beyond ASCII must be percent-encoded, and host names written with xn--"
        case .scheme(let scheme): "the URL begins with \"\(scheme)\": only http:// and https:// are fetched"
        case .credentials: "the URL contains a user name or password: none are sent"
        case .host(let host): "\"\(host)\" is not a host name or an IP address"
        case .port(let text): "\"\(text)\" has no port from 1 to 65535"
        case .portNotAllowed(let endpoint):
            "the port of \(endpoint) is neither 80 nor 443: \(Self.remedy(endpoint)), if you trust it"
        case .address(let address, let kind, let endpoint):
            "\(endpoint) leads to \(address), which is not a public address (\(kind)): \(Self.remedy(endpoint)), "
                + "if you trust it"
        case .denied(let address, let kind, let endpoint): "\(endpoint) leads to \(address), which is \(kind)"
        case .downgrade(let url): "a redirect leads from https to \(url), which is not encrypted"
        case .pinnedWithoutTLS(let host): "\(host) has a certificate pin, so only https is allowed"
        case .header(let name): "the header \"\(name)\" is malformed, or callers must not set it"
        }
    }

    /// The reason for callers. It hides the addresses and hosts that the URL leads to.
    public var summary: String {
        switch self {
        case .tooLong, .character, .credentials, .header: description
        case .scheme: "only http:// and https:// are fetched"
        case .host: "the host is not a name or an IP address"
        case .port: "the port is not from 1 to 65535"
        case .portNotAllowed(let endpoint):
            "port \(endpoint.split(separator: ":").last ?? "") is not allowed (only 80 and 443 are)"
        case .address, .denied: "the host has an address that is not allowed"
        case .downgrade: "a redirect leads from https to http"
        case .pinnedWithoutTLS: "the host allows https only"
        }
    }

    private static func remedy(_ endpoint: String) -> String { "allow it with --allow-private-upstream \(endpoint)" }
}
