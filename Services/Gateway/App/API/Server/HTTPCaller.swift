import Glibc
import HTTPTypes
import NIOCore

/// Where the client of a request is, as far as the server can know.
enum HTTPCaller: String, Sendable {
    /// On this machine, and not behind a proxy that says so.
    case local

    /// On another machine, or behind a proxy.
    case remote

    /// - Parameter address: the address of the connection's other end; nil when the system does not report it.
    init(_ request: HTTPRequest, from address: SocketAddress?) {
        let isForwarded = Self.forwardingFields.contains { request.headerFields[$0] != nil }
        self = !isForwarded && address?.isLoopback == true ? .local : .remote
    }

    /// The fields that proxies add. Of them only their presence counts.
    private static let forwardingFields = ["Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"]
        .compactMap { HTTPField.Name($0) }
}

extension SocketAddress {
    /// Whether it is `127.0.0.0/8`, also as an IPv4-mapped address, or `::1`.
    fileprivate var isLoopback: Bool {
        switch self {
        case .v4(let address): UInt32(bigEndian: address.address.sin_addr.s_addr) >> 24 == 127
        case .v6(let address):
            withUnsafeBytes(of: address.address.sin6_addr) { bytes in
                let start = bytes.prefix(10).allSatisfy { $0 == 0 }
                let isMapped = bytes[10] == 0xff && bytes[11] == 0xff && bytes[12] == 127
                return start && (isMapped || bytes[10...].elementsEqual([0, 0, 0, 0, 0, 1]))
            }
        case .unixDomainSocket: false
        }
    }
}
