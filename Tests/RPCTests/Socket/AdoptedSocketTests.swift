import Foundation
import RPCTestKit
import Testing

@testable import RPC

/// Sockets that a supervisor has opened.
struct AdoptedSocketTests {
    @Test func `an adopted socket is served without a lock file, and its file remains`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/test.sock")
            let socket = try ListeningSocket(adopting: try open(at: path))
            #expect(socket.path == path && socket.description == path.description)
            try await TestServer.with(EchoContract.table, at: path, on: socket) { server in
                try await WirePeer.connect(to: path).expectAlive()
                server.stop()
                await server.ended()
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["test.sock"])
        }
    }

    @Test func `it is made close-on-exec and non-blocking`() async throws {
        try await withTemporaryDirectory { directory in
            let descriptor = try open(at: SocketPath(directory + "/test.sock"))
            defer { close(descriptor) }
            #expect(fcntl(descriptor, F_GETFD) == 0 && fcntl(descriptor, F_GETFL) & O_NONBLOCK == 0)
            _ = try ListeningSocket(adopting: descriptor)
            #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC && fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
        }
    }

    @Test func `the error names the type of any other descriptor`() throws {
        let stream = Int32(SOCK_STREAM.rawValue)
        let others = [
            (Glibc.open("/dev/null", O_RDONLY), "no socket"), (socket(AF_INET, stream, 0), "an IPv4 socket"),
            (socket(AF_INET6, stream, 0), "an IPv6 socket"), (socket(AF_NETLINK, 3, 0), "a socket of family 16"),
            (socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0), "a Unix datagram socket"),
            (socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0), "a Unix socket of type 5"),
            (socket(AF_UNIX, stream, 0), "a Unix stream socket that does not listen"), (9_999, "not open"),
        ]
        for (descriptor, what) in others where descriptor >= 0 {
            let error = #expect(throws: SocketError.self) { try ListeningSocket(adopting: descriptor) }
            #expect(error == .notAListener(descriptor: descriptor, what: what))
            #expect(error?.description.hasPrefix("descriptor \(descriptor) is \(what): ") == true)
            close(descriptor)
        }
    }

    @Test(
        arguments: [
            ([], nil, "a socket without a name"), ([0] + Array("feed".utf8), nil, "@feed"), ([0], nil, "@"),
            (Array("/run/a".utf8), "/run/a", "/run/a"), (Array("/run/a".utf8) + [0, 7], "/run/a", "/run/a"),
            ([0x2F, 0xFF], nil, "/\u{FFFD}"),
            (Array(repeating: 0x61, count: 108), nil, String(repeating: "a", count: 108)),
            ([0, 0xFF], nil, "@\u{FFFD}"),
        ] as [([UInt8], String?, String)])
    func `an address of any kind has a description, and a path when clients can use it`(
        name: [UInt8], path: String?, description: String
    ) {
        let address = PassedDescriptor.address(name)
        #expect(address.path?.description == path)
        #expect(address.description == description)
    }

    /// A listening socket with the flags of a careless supervisor.
    private func open(at path: SocketPath) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try #require(path.withAddress { bind(descriptor, $0, $1) } == 0 && listen(descriptor, 16) == 0)
        return descriptor
    }
}
