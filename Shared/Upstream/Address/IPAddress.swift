import Glibc
import NIOCore

/// An IP address as it appears in packets: 4 or 16 bytes.
struct IPAddress: Hashable, Sendable {
    let bytes: [UInt8]

    init(v4 value: UInt32) { bytes = withUnsafeBytes(of: value.bigEndian, Array.init) }

    /// - Parameter bytes: 4 or 16 bytes. The result is nil for any other number.
    init?(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
        guard self.bytes.count == 4 || self.bytes.count == 16 else { return nil }
    }

    /// Parses `192.0.2.1` or `2001:db8::1`.
    init?(literal text: Substring) {
        var v4 = in_addr()
        if inet_pton(AF_INET, String(text), &v4) == 1 {
            self.init(withUnsafeBytes(of: v4, Array.init))
        } else {
            self.init(v6: text)
        }
    }

    /// Parses `2001:db8::1` or `::ffff:192.0.2.1`, without brackets and without a zone.
    init?(v6 text: Substring) {
        var address = in6_addr()
        guard inet_pton(AF_INET6, String(text), &address) == 1 else { return nil }
        bytes = withUnsafeBytes(of: address, Array.init)
    }

    init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin_addr, Array.init)
            }
        case AF_INET6:
            bytes = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin6_addr, Array.init)
            }
        default: return nil
        }
    }

    var isV4: Bool { bytes.count == 4 }

    /// The socket address to connect to. It has no zone, because addresses with a zone are refused.
    func socketAddress(port: Int) -> SocketAddress {
        let port = in_port_t(port).bigEndian
        if isV4 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port
            withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
            return SocketAddress(address, host: "")
        }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
        return SocketAddress(address, host: "")
    }
}

extension IPAddress: CustomStringConvertible {
    /// `192.0.2.1` or `2001:db8::1`.
    var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = isV4 ? AF_INET : AF_INET6
        guard bytes.withUnsafeBytes({ inet_ntop(family, $0.baseAddress, &text, socklen_t(text.count)) }) != nil else {
            return bytes.map(String.init).joined(separator: ".")
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
