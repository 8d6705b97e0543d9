import FeedContract
import Foundation
import ImageDataContract
import JSON
import Presentation
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
            // A message about the request is for the client; others may contain internal names.
            let isAboutRequest = kind == .invalidParams
            let words = isAboutRequest ? "what was wrong" : ErrorPresenter.message(for: kind.rawValue, language: .en)
            #expect(try reply.member("detail") == words)
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
            #expect(readiness.status == 503 && readiness.text.contains("do not answer: feed"))
        }
    }

    /// All kinds except those about the request.
    private static let hidden = ErrorKind.allCases.filter {
        ![.parseError, .invalidRequest, .methodNotFound, .invalidParams].contains($0)
    }

    @Test(arguments: hidden) func `clients see no internal paths or addresses`(kind: ErrorKind) async throws {
        let secrets = ["/srv/feed/data/comments.sqlite", "http://10.0.0.7:8080", "intranet.example", "192.168.1.9"]
        let error = RPCError(kind, secrets.joined(separator: " "), details: RawJSON(secrets, as: .array(of: .string)))
        var services = Self.failing(error)
        services.list = { _, _ in throw error }
        services.get = { _, _ in throw error }
        try await RunningAPI.with(services) { api in
            for target in ["/v1/feed", "/v1/image/\(UUID())/comments", "/v1/image/\(UUID())/data"] {
                let reply = try await api.exchange(target)
                // A kind that a method does not declare becomes internal.
                #expect(reply.status >= 400 && !secrets.contains { reply.text.contains($0) })
                #expect(try reply.member("detail")?.isEmpty == false && reply.member("trace_id")?.count == 32)
            }
        }
    }

    @Test func `no socket path is shown when services are down`() async throws {
        try await RunningAPI.with(running: []) { api in
            for target in ["/v1/feed", "/v1/image/\(UUID())/comments", "/v1/image/\(UUID())/data", "/readyz"] {
                let reply = try await api.exchange(target)
                #expect(reply.status == 503 && !reply.text.contains(".sock") && !reply.text.contains("/run"))
            }
        }
    }

    @Test func `a generalised error keeps its original message for the log`() {
        var error = RPCError(.connectivity, "http://10.0.0.7 refused", begun: false, retryAfter: 7, service: "feed")
        error = error.presented(in: .ptBR).presented(in: .en)
        #expect(error.message == "Não foi possível conectar com o servidor")
        #expect("\(error)" == "connectivity: http://10.0.0.7 refused")
        #expect(!error.begun && error.retryAfter == 7 && error.service == "feed")
    }

    @Test func `the status of an image's origin server is shown, and nothing else of the error`() {
        let error = RPCError(
            .invalidData, "http://10.0.0.7 answered with status 403",
            details: RawJSON(OriginStatus(status: 403), as: OriginStatus.codec))
        #expect(error.presented(in: .en).message == "The origin server answered with status 403")
        #expect(error.presented(in: .es).message == "El servidor de origen respondió con el estado 403")
        #expect(error.presented(in: .en).details == nil)
    }

    @Test func `the gateway is ready when all services respond`() async throws {
        try await RunningAPI.with { api async throws in
            #expect(try await api.exchange("/readyz").text == "ready\n")
            #expect(try await api.exchange("/healthz").text == "alive\n")
        }
    }

    @Test(
        arguments: [
            ("store", "these services cannot use their stores: comments"), ("writes:store", nil),
            ("content:store", nil),
            ("changes:store", nil), ("cache", nil), ("upstream", nil),
        ] as [(String, String?)])
    func `the gateway is not ready without a store, and is when a part of it fails`(
        check: String, problem: String?
    ) async throws {
        var services = FakeServices()
        let failing = Health.Check(name: check, status: .degraded, detail: "/srv/secret", since: noon)
        services.checks = ["comments": [failing]]
        try await RunningAPI.with(services) { api in
            let reply = try await api.exchange("/readyz")
            #expect(reply.status == (problem == nil ? 200 : 503))
            if let problem { #expect(try reply.member("detail") == problem && !reply.text.contains("/srv")) }
        }
    }

    @Test func `one answer names the services that are silent and those without a store`() async throws {
        var services = FakeServices()
        services.checks = ["comments": [Health.Check(name: "store", status: .degraded, since: noon)]]
        try await RunningAPI.with(services, running: ["comments", "image-data"]) { api in
            let reply = try await api.exchange("/readyz")
            #expect(
                try reply.member("detail")
                    == "these services do not answer: feed; these services cannot use their stores: comments")
        }
    }

    private static let trace = "0af7651916cd43dd8448eb211c80319c"

    @Test func `the client's trace id reaches the services and the problem`() async throws {
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
    func `without a valid trace id a new one is generated`(fields: [String]) async throws {
        var services = FakeServices()
        services.load = { _, context in
            throw RPCError(.invalidParams, try #require(context.trace.id))
        }
        try await RunningAPI.with(services) { api in
            let reply = try await api.exchange("/v1/feed", fields)
            let id = try #require(try reply.member("trace_id"))
            #expect(id.count == 32 && id != Self.trace)
            #expect(try reply.member("detail")?.contains(id) == true)
        }
    }

    @Test func `a request times out after 30 seconds`() async throws {
        let (calls, called) = AsyncStream.makeStream(of: Void.self)
        var services = FakeServices()
        services.load = { _, _ in
            called.yield()
            await waitForCancellation()
            throw CancellationError()
        }
        let clock = ManualClock()
        try await RunningAPI.with(services, clock: clock) { api in
            async let late = api.exchange("/v1/feed")
            for await _ in calls { break }
            await clock.advance(by: .seconds(30))
            let reply = try await late
            #expect(reply.status == 504 && reply.text.contains(#""kind":"deadline_exceeded""#))
        }
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"])
    func `other methods are rejected with the allowed ones`(method: String) async throws {
        try await RunningAPI.with { api in
            for target in [
                "/v1/feed", "/healthz", "/readyz", "/v1/image/\(UUID())/data", "/v1/image/\(UUID())",
            ] {
                let reply = try await api.exchange(target, method: method)
                #expect(reply.status == 405 && reply["Allow"] == "GET, HEAD, OPTIONS")
                #expect(try reply.member("status") == "405")
            }
            #expect(try await api.exchange("/nothing", method: method).status == 404)
        }
    }

    @Test(arguments: ["/v1", "/v1/", "/v1/feed/x", "/v2/feed", "/v1/image", "/v1/../v1/feed", "/v1%2Ffeed"])
    func `an unknown path is 404`(target: String) async throws {
        try await RunningAPI.with { api in
            let reply = try await api.exchange(target)
            #expect(reply.status == 404)
        }
    }

    @Test func `scripts of other sites may read that an id is invalid`() async throws {
        try await RunningAPI.with { api in
            let reply = try await api.exchange("/v1/image/x")
            #expect(reply.status == 404 && reply["Access-Control-Allow-Origin"] == "*")
            #expect(reply.text.contains("the id of an image is a UUID"))
        }
    }

    @Test(arguments: ["/v1/feed?limit=0", "/v1/feed?limit=101", "/v1/feed?limit=1&limit=1", "/v1/%zz"])
    func `an invalid request is 400`(target: String) async throws {
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
