import Glibc

/// Asks the system for the addresses of a name, as all its programs do (hosts file, DNS, …). Blocks, for as long as the
/// system's own time limits let it.
enum SystemLookup {
    /// Why a name has no addresses, in the system's words.
    struct Failure: Error {
        let reason: String
    }

    /// In the order in which they should be tried.
    @Sendable static func addresses(of name: String) -> Result<[IPAddress], Failure> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(name, nil, &hints, &list)
        guard status == 0 else { return .failure(Failure(reason: reason(status))) }
        defer { freeaddrinfo(list) }
        var addresses: [IPAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = entry.ai_addr.flatMap({ IPAddress($0) }), !addresses.contains(address) {
                addresses.append(address)
            }
            next = entry.ai_next
        }
        return .success(addresses)
    }

    private static func reason(_ status: Int32) -> String {
        status == EAI_SYSTEM
            ? "its name could not be looked up (\(String(cString: strerror(errno))))"
            : "its name could not be looked up (\(String(cString: gai_strerror(status))))"
    }
}
