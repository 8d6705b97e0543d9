import Foundation
import RPCTestKit
import Testing

/// The HTTP API of the four real programs.
@Suite struct HTTPServingTests {
    /// Runs a gateway without services.
    private func withGateway(
        _ arguments: String..., body: (RunningProgram, _ port: Int?) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { root in
            let gateway = try Program("gateway").start(["serve", "--root", root] + arguments, errors: nil)
            defer { gateway.send(SIGKILL) }
            #expect(await gateway.errors.wait(for: "serving on"))
            try await body(gateway, port(in: gateway.errors.text))
        }
    }

    private func port(in text: String) -> Int? {
        text.firstMatch(of: /http:\/\/127\.0\.0\.1:(\d+)/).flatMap { Int($0.output.1) }
    }

    @Test func `an imported feed is read page by page, with comments and images`() async throws {
        try await Deployment.with { deployment in
            let port = try deployment.httpPort()
            let imported = try await deployment.gateway("import", Program.repository + "/deploy/sample")
            #expect(imported.status == 0)
            var (target, ids) = ("/v1/feed?limit=10", [String]())
            while true {
                let page = try await HTTPPeer.exchange(port: port, target)
                ids += page.text.matches(of: /"id":"([^"]*)"/).map { String($0.output.1) }
                guard let next = page["Link"]?.firstMatch(of: /<([^>]*)>; rel="next"/) else { break }
                // In absolute form, as in the link.
                target = String(next.output.1)
            }
            #expect(ids.count == 24 && Set(ids).count == 24)
            let first = try #require(ids.first)
            let picture = try await HTTPPeer.exchange(port: port, "/v1/image/\(first)/data")
            let same = try await deployment.gateway("image", first)
            #expect(picture.status == 200 && Data(picture.body) == same.bytes)
            let comments = try await HTTPPeer.exchange(port: port, "/v1/image/\(first)/comments")
            #expect(comments.text.matches(of: /"message":/).count == 4)
            let unknown = try await HTTPPeer.exchange(port: port, "/v1/feed?after_id=\(UUID())")
            #expect(unknown.status == 400)
            // A successful request is not logged.
            let gateway = try deployment.program("gateway")
            try await gateway.stop()
            let log = await gateway.errors.whole()
            #expect(!log.contains("GET /"), "\(log)")
        }
    }

    @Test func `a port in use is one error line with the remedy, and the socket is released`() async throws {
        try await withGateway { _, port in
            let address = "127.0.0.1:\(try #require(port))"
            try await withTemporaryDirectory { root in
                let outcome = try await Program("gateway").run(["serve", "--root", root, "--http", address])
                #expect(outcome.status == 69 && outcome.errors.split(separator: "\n").count == 1)
                for part in [address, "another process", "--http HOST:PORT", "--http-port"] {
                    #expect(outcome.errors.contains(part))
                }
                #expect(!FileManager.default.fileExists(atPath: root + "/run/gateway.sock"))
            }
        }
    }

    @Test func `an address of another machine is rejected with the reason`() async throws {
        try await withTemporaryDirectory { root in
            let outcome = try await Program("gateway").run(["serve", "--root", root, "--http", "192.0.2.1:0"])
            #expect(outcome.status == 69 && outcome.errors.contains("192.0.2.1:0"))
        }
    }

    @Test func `HTTP can be off`() async throws {
        try await withGateway("--http", "off") { gateway, port in
            #expect(port == nil && !gateway.errors.text.contains("http"))
        }
    }

    @Test(
        arguments: [
            (["--http", "8080"], [:]), (["--http", "a:b"], [:]), (["--public-url", "example.org"], [:]),
            ([], ["HTTP_PORT": "x"]), ([], ["HTTP_PORT": "65536"]),
        ] as [([String], [String: String])])
    func `an invalid address is invalid usage`(arguments: [String], environment: [String: String]) async throws {
        let outcome = try await Program("gateway").run(["serve"] + arguments, environment: environment)
        #expect(outcome.status == 64)
    }

    @Test func `image URLs and links begin with the public URL`() async throws {
        try await Deployment.with(gateway: ["--public-url", "https://feed.example.org/x/"]) { deployment in
            let id = UUID().uuidString
            _ = try await deployment.gateway("publish", "https://example.org/a.jpg", "--unchecked", "--id", id)
            let page = try await HTTPPeer.exchange(port: deployment.httpPort(), "/v1/feed", ["Host: evil.example"])
            #expect(page.status == 400)
            let honest = try await HTTPPeer.exchange(port: deployment.httpPort(), "http://evil.example/v1/feed")
            #expect(honest.text.contains(#""image":"https://feed.example.org/x/v1/image/\#(id)/data""#))
            #expect(honest["Link"]?.contains("<https://feed.example.org/x/v1/feed?before_id=\(id)>") == true)
        }
    }

    @Test func `SIGTERM closes idle connections and exits with 0`() async throws {
        try await withGateway { gateway, port in
            let peer = try await HTTPPeer.connect(port: try #require(port))
            try await peer.request("/healthz")
            #expect(await peer.receive()?.status == 200)
            gateway.send(SIGTERM)
            #expect(await peer.wire.rest().isEmpty)
            #expect(await gateway.ended() == 0)
        }
    }
}
