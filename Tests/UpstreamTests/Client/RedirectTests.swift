import RPCTestKit
import Testing

@testable import Upstream

struct RedirectTests {
    @Test(arguments: [301, 302, 303, 307, 308]) func `redirects are followed and the response has the last URL`(
        status: Int
    )
        async throws
    {
        try await OriginServer.with { request in
            switch request.path {
            case "/a/b": [.redirect(status, to: "../c?x=y#z")]
            case "/c": [.redirect(status, to: "//\(request["Host"] ?? "")/d")]
            default: [.response(text: "found")]
            }
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let response = try await client.get(server.url + "/a/b")
                #expect(response.text == "found")
                #expect(response.url == server.url + "/d")
                #expect(server.history.requests.map(\.target) == ["/a/b", "/c?x=y", "/d"])
                #expect(server.history.connections == 1)
            }
        }
    }

    @Test func `five redirects are followed, a sixth is not`() async throws {
        try await OriginServer.with { request in
            let left = Int(request.path.dropFirst()) ?? 0
            return [left == 0 ? .response(text: "end") : .redirect(to: "/\(left - 1)")]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let response = try await client.get(server.url + "/5")
                #expect(response.text == "end")
                let error = try await client.failure(server.url + "/6")
                guard case .tooManyRedirects(5) = error else { throw error }
            }
        }
    }

    @Test(arguments: [0, 1]) func `the target of a redirect has at most 8 KB`(excess: Int) async throws {
        try await OriginServer.with { request in
            guard request.path == "/" else { return [.response(text: "found")] }
            let start = "http://\(request["Host"] ?? "")/"
            return [.redirect(to: start + String(repeating: "a", count: 8_192 - start.utf8.count + excess))]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                if excess == 0 {
                    let response = try await client.get(server.url)
                    #expect(response.text == "found" && response.url.utf8.count == 8_192)
                } else {
                    let error = try await client.failure(server.url)
                    #expect(error.refusal == .tooLong(bytes: 8_193, limit: 8_192))
                }
                // The limit for a caller's URL is lower.
                let error = try await client.failure("http://a.example/" + String(repeating: "a", count: 2_032))
                #expect(error.refusal == .tooLong(bytes: 2_049, limit: 2_048))
            }
        }
    }

    @Test func `a redirect loop ends`() async throws {
        try await OriginServer.with { _ in
            [.redirect(to: "")]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let error = try await client.failure(server.url)
                guard case .tooManyRedirects = error else { throw error }
                #expect(server.history.requests.count == 6)
            }
        }
    }

    @Test(arguments: [
        "http://localhost/", "//169.254.169.254/latest", "http://example.com:8443/", "file:///etc/passwd", "/\u{7F}",
    ]) func `every target is checked`(location: String) async throws {
        try await OriginServer.with { _ in
            [.redirect(to: location)]
        } _: { server in
            try await withClient(.trusting(server), addresses: ["localhost": ["127.0.0.1"]]) { client in
                let error = try await client.failure(server.url)
                #expect(error.refusal != nil || error.isMalformed, "\(error)")
                #expect(server.history.requests.count == 1)
            }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n",
    ]) func `a redirect without a target or with two is malformed`(bytes: String) async throws {
        try await OriginServer.with { _ in
            [.send(bytes)]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let error = try await client.failure(server.url)
                #expect(error.isMalformed, "\(error)")
            }
        }
    }

    @Test(arguments: [300, 304, 305, 306, 399]) func `other statuses are returned`(status: Int) async throws {
        try await OriginServer.with { _ in
            [.response(status, [("Location", "/x")])]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let response = try await client.get(server.url)
                #expect(response.status == status)
            }
        }
    }

    @Test func `a small body of a redirect is read, a large one closes the connection`() async throws {
        try await OriginServer.with { request in
            switch request.path {
            case "/small": [.response(302, [("Location", "/end")], body: [UInt8](repeating: 0, count: 16_384))]
            case "/endless":
                [
                    .send("HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 99999999999\r\n\r\n"),
                    .send([UInt8](repeating: 0, count: 16_385)), .stall,
                ]
            default: [.response(text: "end")]
            }
        } _: { server in
            try await withClient(.trusting(server)) { client in
                for (path, connections) in [("/small", 1), ("/endless", 2)] {
                    let response = try await client.get(server.url + path)
                    #expect(response.text == "end")
                    #expect(server.history.connections == connections)
                }
            }
        }
    }

    @Test func `credentials are sent to their host, port and scheme only, also after further redirects`() async throws {
        let headers: UpstreamHeaders = [
            "Authorization": "Bearer secret", "Cookie": "a=b", "X-Api-Key": "secret", "Accept": "image/*",
            "Range": "bytes=1-",
        ]
        try await OriginServer.with { _ in
            [.response()]
        } _: { other in
            let elsewhere = other.url
            try await OriginServer.with { request in
                switch request.path {
                case "/inside": [.redirect(to: "/end")]
                case "/port": [.redirect(to: elsewhere)]
                case "/name":
                    [.redirect(to: "http://other.test:\(request["Host"]?.split(separator: ":").last ?? "")/back")]
                case "/back":
                    [.redirect(to: "http://127.0.0.1:\(request["Host"]?.split(separator: ":").last ?? "")/end")]
                default: [.response(200, [("Set-Cookie", "stolen=1")])]
                }
            } _: { server in
                try await withClient(
                    .trusting(server, other, names: "other.test"), addresses: ["other.test": ["127.0.0.1"]]
                ) { client in
                    func sent(_ path: String) async throws -> OriginRequest {
                        _ = try await client.get(UpstreamRequest(url: server.url + path, headers: headers))
                        return try #require(
                            path == "/port" ? other.history.requests.last : server.history.requests.last)
                    }
                    let inside = try await sent("/inside")
                    #expect(inside["Authorization"] == "Bearer secret" && inside["Cookie"] == "a=b")
                    for path in ["/port", "/name"] {
                        let request = try await sent(path)
                        #expect(
                            request["Authorization"] == nil && request["Cookie"] == nil && request["X-Api-Key"] == nil)
                        #expect(request["Accept"] == "image/*" && request["Range"] == "bytes=1-")
                    }
                    // Cookies are not stored.
                    _ = try await client.get(server.url)
                    #expect(server.history.requests.last?["Cookie"] == nil)
                }
            }
        }
    }
}
