import Glibc

/// Runs `body` with a port that neither accepts nor refuses connections, because its backlog of one is full.
func withDeafListener<Result>(_ body: (Int) async throws -> Result) async throws -> Result {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let clients = (0..<4).map { _ in
        socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    }
    defer { for client in clients { close(client) } }
    withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            bind(listener, address, length)
            listen(listener, 0)
            getsockname(listener, address, &length)
            for client in clients { connect(client, address, length) }
        }
    }
    return try await body(Int(UInt16(bigEndian: address.sin_port)))
}
