import FeedContract
import Foundation
import RPC
import RPCTestKit
import Testing

@testable import gateway

@Suite struct ProblemTests {
    private static func failing(_ error: RPCError) -> FakeServices {
        var services = FakeServices()
        services.load = { _, _ in throw error }
        return services
    }

    @Test(arguments: [ErrorKind.invalidParams, .connectivity, .invalidData, .dataLoss, .unavailable, .overloaded])
    func `an error is a problem with the status of its kind`(kind: ErrorKind) async throws {
        let error = RPCError(kind, "what was wrong", retryAfter: kind == .overloaded ? 1_500 : nil)
        try await RunningAPI.with(Self.failing(error)) { api in
            let reply = try await api.exchange("/v1/feed")
            #expect(reply.status == kind.httpStatus && reply["Content-Type"] == "application/problem+json")
            #expect(try reply.member("type") == "about:blank")
            #expect(try reply.member("title") == HTTPStatus.phrase(kind.httpStatus))
            #expect(try reply.member("status") == "\(kind.httpStatus)")
            #expect(try reply.member("kind") == kind.rawValue)
            #expect(try reply.member("detail")?.contains("what was wrong") == true)
            let retryAfter = [ErrorKind.overloaded: "2", .unavailable: "1"][kind]
            #expect(reply["Retry-After"] == retryAfter && reply["Cache-Control"] == "no-store")
        }
    }

    @Test func `a service that is down is unavailable, and the problem says which`() async throws {
        try await RunningAPI.with(running: ["comments", "image-data"]) { api in
            let reply = try await api.exchange("/v1/feed")
            #expect(reply.status == 503 && reply["Retry-After"] == "1")
            #expect(try await api.exchange("/healthz").status == 200)
            let readiness = try await api.exchange("/readyz")
            #expect(readiness.status == 503 && readiness.text.contains("feed: "))
        }
    }

    @Test func `with every service there it is ready`() async throws {
        // Services have a second to say that they are there: nobody else may take it.
        try await RunningAPI.with(executor: .separate()) { api async throws in
            #expect(try await api.exchange("/readyz").text == "ready\n")
            #expect(try await api.exchange("/healthz").text == "alive\n")
        }
    }

    private static let trace = "0af7651916cd43dd8448eb211c80319c"

    @Test func `the client's trace goes to the services and into the problem`() async throws {
        var services = FakeServices()
        services.load = { _, context in
            #expect(context.trace.parent == "00-\(Self.trace)-b7ad6b7169203331-01" && context.trace.state == "a=b")
            throw RPCError(.dataLoss, "damaged")
        }
        try await RunningAPI.with(services) { api in
            let reply = try await api.exchange(
                "/v1/feed", ["traceparent: 00-\(Self.trace)-b7ad6b7169203331-01", "tracestate: a=b"])
            #expect(try reply.member("trace_id") == Self.trace)
        }
    }

    @Test(arguments: [[], ["traceparent: nonsense"], ["traceparent: 00-\(trace)-0000000000000000-01"]])
    func `without a trace that is valid one begins here`(fields: [String]) async throws {
        var services = FakeServices()
        services.load = { _, context in
            throw RPCError(.dataLoss, try #require(context.trace.id))
        }
        try await RunningAPI.with(services) { api in
            let reply = try await api.exchange("/v1/feed", fields)
            let id = try #require(try reply.member("trace_id"))
            #expect(id.count == 32 && id != Self.trace)
            #expect(try reply.member("detail")?.contains(id) == true)
        }
    }

    @Test func `a request that takes too long is ended`() async throws {
        var services = FakeServices()
        services.load = { _, _ in
            try await Task.sleep(for: .seconds(600))
            throw CancellationError()
        }
        var limits = HTTPLimits()
        limits.requestTime = .milliseconds(50)
        try await RunningAPI.with(services, limits: limits) { api in
            let reply = try await api.exchange("/v1/feed")
            #expect(reply.status == 504 && reply.text.contains(#""kind":"deadline_exceeded""#))
        }
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"])
    func `other methods are refused with those that there are`(method: String) async throws {
        try await RunningAPI.with { api in
            for target in [
                "/v1/feed", "/healthz", "/readyz", "/v1/image/\(UUID())/data", "/v1/image/\(UUID())/comments",
            ] {
                let reply = try await api.exchange(target, method: method)
                #expect(reply.status == 405 && reply["Allow"] == "GET, HEAD")
                #expect(try reply.member("status") == "405")
            }
            #expect(try await api.exchange("/nothing", method: method).status == 404)
        }
    }

    @Test(arguments: ["/", "/v1", "/v1/", "/v1/feed/x", "/v2/feed", "/v1/image", "/v1/../v1/feed", "/v1%2Ffeed"])
    func `where there is nothing, nothing is found`(target: String) async throws {
        try await RunningAPI.with { api in
            let reply = try await api.exchange(target)
            #expect(reply.status == 404)
        }
    }

    @Test(arguments: ["/v1/feed?limit=0", "/v1/feed?limit=101", "/v1/feed?limit=1&limit=1", "/v1/%zz"])
    func `a request that is wrong is 400`(target: String) async throws {
        try await RunningAPI.with { api in
            let reply = try await api.exchange(target)
            #expect(reply.status == 400 && reply["Content-Type"] == "application/problem+json")
        }
    }

    @Test func `a target of 8,000 bytes is read, one of 8,001 is too long`() async throws {
        try await RunningAPI.with { api in
            let longest = "/v1/feed?" + String(repeating: "x", count: HTTPLimits.targetBytes - 9)
            #expect(try await api.exchange(longest).status == 200)
            let reply = try await api.exchange(longest + "x")
            #expect(reply.status == 414 && reply.text.contains("8001") && reply.text.contains("8000"))
        }
    }
}
