import NIOCore
import RPCTestKit
import Testing
import Timing

@testable import Upstream

struct PoolTests {
    @Test func `one connection serves sequential requests`() async throws {
        try await OriginServer.with { _ in
            [.response(text: "x")]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                for _ in 0..<5 { _ = try await client.get(server.url) }
                #expect(server.history.connections == 1)
                #expect(await client.connections == (0, 1, 1))
            }
            await server.history.wait { $0.openConnections == 0 }
        }
    }

    @Test func `hosts share no connections, even with the same address`() async throws {
        try await OriginServer.with { _ in
            [.response()]
        } _: { server in
            let addresses = ["a.test": ["127.0.0.1"], "b.test": ["127.0.0.1"]]
            try await withClient(.trusting(server, names: "a.test", "b.test"), addresses: addresses) { client in
                for name in ["a.test", "b.test", "a.test"] {
                    _ = try await client.get("http://\(name):\(server.port)/")
                }
                #expect(server.history.connections == 2)
            }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\n1",
        "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n1",
        // More bytes than the response.
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1x",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2",
        "HTTP/1.1 204 No Content\r\nContent-Length: 1\r\n\r\n1",
    ]) func `a connection is not reused if the response says so or bytes follow it`(bytes: String)
        async throws
    {
        try await OriginServer.with { _ in
            [.send(bytes)]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                for _ in 0..<3 {
                    let response = try await client.get(server.url)
                    #expect(response.text != "2")
                }
                #expect(server.history.connections == 3)
            }
        }
    }

    @Test func `late bytes on an idle connection close it, and answer no request`() async throws {
        let late = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate"
        let isIdle = Watched(false)
        try await OriginServer.with { request in
            [.response(text: "good")]
                + (request.connection == 0 ? [.wait { await isIdle.wait { $0 } }, .send(late)] : [])
        } _: { server in
            try await withClient(.trusting(server)) { client in
                var response = try await client.get(server.url)
                #expect(response.text == "good")
                isIdle.withLock { $0 = true }
                await server.history.wait(for: .closed(0))
                response = try await client.get(server.url)
                #expect(response.text == "good")
            }
        }
    }

    @Test func `bytes before the first request are not a response`() async throws {
        let early = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nearly"
        try await OriginServer.with(greeting: early) { _ in
            [.response(text: "good"), .stall]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let outcome = try? await client.get(server.url)
                // If the request was sent before the greeting arrived, the greeting looks like a response.
                #expect(outcome == nil || outcome?.text == "early")
                await server.history.wait(for: .closed(0))
            }
        }
    }

    @Test func `a reused connection that closes without a response is replaced once`() async throws {
        // Each connection answers once, and closes at the second request.
        try await OriginServer.with {
            $0.number == 0 ? [.response(text: "x")] : [.close]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                for _ in 0..<3 { _ = try await client.get(server.url) }
                #expect(server.history.requests.map(\.connection) == [0, 0, 1, 1, 2])
            }
        }
    }

    @Test func `a new connection that closes without a response is not replaced`() async throws {
        for step in [OriginStep.close, .reset] {
            try await OriginServer.with { _ in
                [step]
            } _: { server in
                try await withClient(.trusting(server)) { client in
                    let error = try await client.failure(server.url)
                    #expect(error.isInterrupted, "\(error)")
                    #expect(server.history.requests.count == 1)
                }
            }
        }
    }

    @Test func `a connection that closes inside a response is not replaced`() async throws {
        try await OriginServer.with {
            $0.number == 0 ? [.response()] : [.send("HTTP/1.1 2"), .close]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                _ = try await client.get(server.url)
                let error = try await client.failure(server.url)
                #expect(error.isInterrupted || error.isMalformed, "\(error)")
                #expect(server.history.requests.count == 2)
            }
        }
    }

    @Test func `requests above the limit of connections wait in order`() async throws {
        let isFull = Watched(false)
        try await OriginServer.with { _ in
            [.wait { await isFull.wait { $0 } }, .response()]
        } _: { server in
            var settings = try UpstreamSettings.trusting(server)
            settings.limits.connectionsPerOrigin = 2
            try await withClient(settings) { client in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<20 { group.addTask { _ = try await client.get(server.url + "/\(number)") } }
                    await server.history.wait { $0.requests.count == 2 }
                    isFull.withLock { $0 = true }
                    try await group.waitForAll()
                }
                #expect(server.history.connections == 2)
                #expect(server.history.requests.count == 20)
            }
        }
    }

    @Test(arguments: ["close", "keep"]) func `waiting requests continue whether a connection is reused or closed`(
        ending: String
    ) async throws {
        try await OriginServer.with { _ in
            ending == "keep" ? [.response()] : [.response(), .close]
        } _: { server in
            var settings = try UpstreamSettings.trusting(server)
            settings.limits.connectionsPerOrigin = 1
            try await withClient(settings) { client in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<10 { group.addTask { _ = try? await client.get(server.url) } }
                    try await group.waitForAll()
                }
                let response = try await client.get(server.url)
                #expect(response.status == 200)
            }
        }
    }

    @Test func `the number of idle connections is limited, to one origin and in all`() async throws {
        let answered = Watched(0)
        try await OriginServer.with { request in
            [.wait { await answered.wait { $0 > request.connection } }, .response()]
        } _: { server in
            var settings = try UpstreamSettings.trusting(server, names: "a.test", "b.test")
            settings.limits.idlePerOrigin = 2
            settings.limits.idleConnections = 3
            try await withClient(settings, addresses: ["a.test": ["127.0.0.1"], "b.test": ["127.0.0.1"]]) { client in
                for (name, opened, kept) in [("a.test", 4, 2), ("b.test", 8, 3)] {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for _ in 0..<4 { group.addTask { _ = try await client.get("http://\(name):\(server.port)/") } }
                        await server.history.wait { $0.requests.count == opened }
                        answered.withLock { $0 = opened }
                        try await group.waitForAll()
                    }
                    await server.history.wait { $0.openConnections == kept }
                    #expect(await client.connections == (0, kept, kept))
                }
            }
        }
    }

    @Test func `the idle time and the age of connections are limited`() async throws {
        try await OriginServer.with { _ in
            [.response()]
        } _: { server in
            let clock = ManualClock()
            try await withClient(.trusting(server), clock: clock) { client in
                _ = try await client.get(server.url)
                await clock.waitForTimer(in: .seconds(30))
                await clock.advance(by: .seconds(30) - .nanoseconds(1))
                #expect(await client.connections == (0, 1, 1))
                await clock.advance(by: .nanoseconds(1))
                await server.history.wait(for: .closed(0))
                // Used every 20 seconds, the second connection is never idle for too long, but too old after 300.
                for _ in 0..<16 {
                    _ = try await client.get(server.url)
                    await clock.advance(by: .seconds(20))
                }
                #expect(server.history.requests.map(\.connection) == [0] + Array(repeating: 1, count: 15) + [2])
            }
        }
    }

    @Test func `addresses are tried in turn until one answers`() async throws {
        try await OriginServer.with { _ in
            [.response()]
        } _: { server in
            // No server listens on the others.
            let addresses = ["name.test": ["127.0.0.3", "::1", "127.0.0.2", "127.0.0.1"]]
            try await withClient(.trusting(server, names: "name.test"), addresses: addresses) { client in
                let response = try await client.get("http://name.test:\(server.port)/")
                #expect(response.status == 200)
            }
        }
    }

    @Test func `a silent address does not delay the next`() async throws {
        try await withDeafListener { port in
            try await OriginServer.with(host: "127.0.0.2", port: port) { _ in
                [.response()]
            } _: { server in
                let addresses = ["name.test": ["127.0.0.1", "127.0.0.2"]]
                let clock = ManualClock()
                try await withClient(.trusting(server, names: "name.test"), addresses: addresses, clock: clock) {
                    client in
                    async let response = client.get("http://name.test:\(port)/")
                    await clock.advance(by: TimeAmount(UpstreamLimits.attemptDelay), once: 1)
                    let status = try await response.status
                    #expect(status == 200)
                }
            }
        }
    }

    @Test func `shutting down ends requests and closes connections`() async throws {
        try await OriginServer.with {
            $0.path == "/stall" ? [.stall] : [.response()]
        } _: { server in
            var settings = try UpstreamSettings.trusting(server)
            settings.limits.connectionsPerOrigin = 2
            try await withClient(settings) { client in
                _ = try await client.get(server.url)
                async let first = client.failure(server.url + "/stall")
                async let second = client.failure(server.url + "/stall")
                async let third = client.failure(server.url + "/stall")
                await server.history.wait { $0.requests.count == 3 }
                await client.shutdown()
                for error in try await [first, second, third, client.failure(server.url)] {
                    guard case .shutDown = error else { throw error }
                }
                await server.history.wait { $0.openConnections == 0 }
            }
        }
    }
}
