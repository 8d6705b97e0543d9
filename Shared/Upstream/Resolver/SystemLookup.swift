import Glibc

/// Looks up a name with the system's resolver (hosts file, DNS, …). Blocks up to the resolver's own time limits.
enum SystemLookup {
    /// The error of a lookup, with the system's message.
    struct Failure: Error {
        let reason: String
    }

    /// The addresses in the order in which to try them.
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
