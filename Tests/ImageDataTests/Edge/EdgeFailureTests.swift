import EdgeKit
import Foundation
import ImageData
import ImageDataContract
import NIOCore
import RPC
import RPCTestKit
import Testing
import Timing

@testable import image_data_service

/// Origin servers that are down, broken or malicious.
struct EdgeFailureTests {
    private static let html = "<!doctype html><title>Picture</title>"
    private static let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>"

    /// The behaviour of an origin server, and the resulting error.
    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let steps: [OriginStep]
        let kind: ErrorKind

        init(_ description: String, _ kind: ErrorKind, _ steps: OriginStep...) {
            (testDescription, self.kind, self.steps) = (description, kind, steps)
        }
    }

    static let table = [
        Row("404", .notFound, .response(404, text: "no")),
        Row("410", .notFound, .response(410)),
        Row("a picture with 404", .notFound, .response(404, body: [UInt8](picture(1)))),
        Row("a picture with 201", .invalidData, .response(201, body: [UInt8](picture(1)))),
        Row("204", .invalidData, .send("HTTP/1.1 204 No\r\n\r\n")),
        Row("206 without a range in the request", .invalidData, .response(206, body: [UInt8](picture(1)))),
        Row("304 without a condition in the request", .invalidData, .send("HTTP/1.1 304 No\r\n\r\n")),
        Row("403", .invalidData, .response(403)),
        Row("500", .invalidData, .response(500)),
        Row("nothing", .invalidData, .response(200)),
        Row("HTML called a PNG", .invalidData, .response(200, [("Content-Type", "image/png")], text: html)),
        Row("SVG", .invalidData, .response(200, [("Content-Type", "image/svg+xml")], text: svg)),
        Row("a truncated picture", .invalidData, .response(200, body: [UInt8](picture(1).dropLast(20)))),
        Row("a picture of too many pixels", .invalidData, .response(200, body: PNGBytes.image(50_000, 1_001))),
        Row("a picture without pixels", .invalidData, .response(200, body: PNGBytes.image(0, 10))),
        Row("a Content-Length above the limit", .tooLarge, .send("HTTP/1.1 200 OK\r\nContent-Length: 6000001\r\n\r\n")),
        Row(
            "no HTTP", .invalidData,
            .send("220 mail.example ESMTP\r\n\r\n"), .close),
        Row("redirects without end", .invalidData, .redirect(to: "/again")),
        Row("a redirect to an address that may not be asked", .permissionDenied, .redirect(to: "http://10.0.0.1/")),
        Row("an end without an answer", .connectivity, .close),
        Row("a picture that is cut again and again", .connectivity, cut, .close),
    ]

    private static let cut = OriginStep.send(
        Array("HTTP/1.1 200 OK\r\nContent-Length: \(pictureSize)\r\n\r\n".utf8) + picture(1).dropLast(20))

    @Test(arguments: table) func `a fault of the origin is reported, and nothing is cached`(row: Row) async throws {
        try await OriginServer.with { _ in
            row.steps
        } _: { origin in
            try await EdgeService.with(origin) { service in
                for _ in 1...2 {
                    let kind = try await service.failure(origin.url + "/a")
                    #expect(kind == row.kind)
                }
                let kind = try await service.failure(origin.url + "/a", nil, .cacheOnly)
                #expect(kind == .notFound)
                await #expect(throws: RPCError.self) { try await service.stat(origin.url + "/a") }
                #expect(service.isIdle)
            }
        }
    }

    @Test(
        arguments: table.filter {
            ![.notFound, .permissionDenied].contains($0.kind) && !$0.testDescription.hasPrefix("304")
        }
            + [Row("500", .invalidData, .response(500))])
    func `expired bytes are served after any failure that says nothing about the image`(row: Row) async throws {
        let answers = Answers(.picture(1))
        try await withOrigin(answers) { origin, service in
            _ = try await service.load(origin.url)
            service.clock.now = moment(10)
            answers.set(row.steps)
            for policy in [LoadImage.Policy.hot, .cold] {
                let stale = try await service.load(origin.url, policy, ttl: 10)
                #expect(stale.stale == true)
                #expect(stale.data.data == picture(1))
                #expect(stale.metadata.storedAt == moment(0))
                #expect(stale.metadata.source == (policy == .hot ? .hot : .cold))
            }
            // Valid bytes are not stale.
            #expect(try await service.load(origin.url, ttl: 11).stale == nil)
        }
    }

    @Test(
        arguments: table.filter { [.notFound, .permissionDenied].contains($0.kind) })
    func `an image that is gone or whose address is refused is reported, and one that is gone is forgotten`(
        row: Row
    ) async throws {
        let answers = Answers(.picture(1))
        try await withOrigin(answers) { origin, service in
            _ = try await service.load(origin.url)
            service.clock.now = moment(10)
            answers.set(row.steps)
            #expect(try await service.failure(origin.url, ttl: 10) == row.kind)
            if row.kind == .notFound {
                #expect(try await service.failure(origin.url, ttl: 11) == row.kind)
                #expect(try await service.failure(origin.url, nil, .cacheOnly) == .notFound)
            } else {
                #expect(try await service.load(origin.url, ttl: 11).data.data == picture(1))
            }
        }
    }

    @Test func `with a dead origin a load fails with connectivity, or expired bytes are served`() async throws {
        try await withTemporaryDirectory { directory in
            let options = EdgeService.Options(directory: directory)
            let dead = try await OriginServer.with { _ in
                [.picture(1)]
            } _: { origin in
                try await EdgeService.with(origin, options) { _ = try await $0.load(origin.url + "/a") }
                return origin
            }
            try await EdgeService.with(dead, options) { service in
                service.clock.now = moment(10)
                let stale = try await service.load(dead.url + "/a", ttl: 10)
                #expect(stale.stale == true)
                #expect(stale.metadata.source == .cold)
                #expect(try await service.failure(dead.url + "/b") == .connectivity)
                #expect(try await service.failure(dead.url + "/a", nil, .reload) == .connectivity)
                let images = try? await service.stream(dead.url + "/a")
                #expect(images == nil)
            }
        }
    }

    @Test func `with a slow origin expired bytes are served in time`() async throws {
        let (answers, time) = (Answers(.picture(1)), ManualClock())
        try await withOrigin(answers, time) { origin, service in
            _ = try await service.load(origin.url)
            service.clock.now = moment(10)
            answers.set(.stall)
            let timeout = Duration.seconds(8)
            async let stale = service.load(origin.url, ttl: 10, options: CallOptions(timeout: TimeAmount(timeout)))
            await origin.history.wait { $0.requests.count == 2 }
            let budget = TimeAmount(FetchBudget.time(of: timeout))
            await time.waitForTimer(in: budget)
            await time.advance(by: budget)
            #expect(try await stale.stale == true)
            // No caller waits for the fetch any longer.
            await origin.history.wait { $0.openConnections == 0 }
            await service.waitUntilIdle()
        }
    }

    @Test func `without cached bytes a slow origin has the caller's whole time`() async throws {
        let time = ManualClock()
        try await withOrigin(Answers(.stall), time) { origin, service in
            // Shorter than the time limits of the request.
            let timeout = TimeAmount.seconds(9)
            let load = Task { try await service.load(origin.url, options: CallOptions(timeout: timeout)) }
            await origin.history.wait { $0.requests.count == 1 }
            await time.advance(by: timeout - .nanoseconds(1))
            #expect(service.fetches.load.callers == 1)
            await time.advance(by: .nanoseconds(1))
            let error = await #expect(throws: RPCError.self) { try await load.value }
            #expect(error?.kind == .deadlineExceeded)
            await origin.history.wait { $0.openConnections == 0 }
            await service.waitUntilIdle()
        }
    }

    /// `UpstreamTests` have the addresses that are refused.
    @Test(arguments: ["http://10.1.2.3/", "urn:sha256:00"]) func `a forbidden address is rejected`(
        url: String
    ) async throws {
        try await withOrigin(Answers()) { origin, service async throws in
            #expect(try await service.failure(url) == .permissionDenied)
            #expect(try await service.failure(url, nil, .cacheOnly) == .notFound)
            #expect(origin.history.requests.isEmpty)
        }
    }

    // MARK: Limits

    @Test(arguments: [(0, ErrorKind?.none), (1, .tooLarge)]) func `an image may have the configured maximum size`(
        over: Int, kind: ErrorKind?
    ) async throws {
        let body = [UInt8](picture(1) + Data(count: 1_000 - pictureSize + over))
        try await OriginServer.with { request in
            request.path == "/declared"
                ? [.response(body: body)] : [.send("HTTP/1.1 200 OK\r\n\r\n"), .send(body), .close]
        } _: { origin in
            try await EdgeService.with(origin, EdgeService.Options(maximumBytes: 1_000)) { service in
                let kind = try await service.failure(origin.url + "/declared")
                #expect(kind == kind)
                #expect(try await service.failure(origin.url + "/real") == kind)
            }
        }
    }

    @Test func `the largest image that an operator may allow is served`() async throws {
        let body = [UInt8](picture(1)) + [UInt8](repeating: 0, count: 32 * 1_024 * 1_024 - pictureSize)
        try await OriginServer.with { _ in
            [.response(body: body)]
        } _: { origin in
            try await EdgeService.with(origin, EdgeService.Options(maximumBytes: body.count)) { service in
                for source in [ImageMetadata.Source.remote, .hot] {
                    let image = try await service.load(origin.url)
                    #expect(image.data.data.count == body.count)
                    #expect(image.metadata.source == source)
                }
                #expect(try await service.load(origin.url, .cold).metadata.source == .cold)
            }
        }
    }

    /// Together they are far larger than the limit of a connection's queue. Overloaded calls are retried.
    @Test(arguments: [LoadImage.Policy.none, .hot, .cold])
    func `ten of the largest images are served concurrently over one connection`(
        policy: LoadImage.Policy
    ) async throws {
        let size = ImageDataContract.plainImageBytes
        let largest = picture(1) + Data(count: size - pictureSize)
        try await OriginServer.with { _ in
            [.response(body: [UInt8](largest))]
        } _: { origin in
            try await EdgeService.with(origin) { service in
                let urls = (1...10).map { "\(origin.url)/\($0)" }
                for _ in 1...2 {
                    var left = urls
                    while !left.isEmpty {
                        // A client that retries without a pause is disconnected, so these have all been answered.
                        left = try await overloaded(left) { try await service.load($0, policy).data.data == largest }
                    }
                }
                #expect(origin.history.requests.count == (policy == .none ? 20 : 10))
            }
        }
    }

    // MARK: Recovery

    @Test func `after the origin recovers the next load succeeds`() async throws {
        let (answers, time) = (Answers(.close), ManualClock())
        try await withOrigin(answers, time) { origin, service async throws in
            let pause = TimeAmount(HostBackoff.pause)
            for attempt in 1...4 {
                if attempt == 4 { answers.set(.picture(1)) }
                async let outcome = service.failure(origin.url)
                // The host is asked again after a pause.
                if attempt > 1 {
                    await time.waitForTimer(in: pause)
                    await service.fetches.wait { $0.waiting == 1 }
                    await time.advance(by: pause)
                }
                #expect(try await outcome == (attempt < 4 ? .connectivity : nil))
            }
            // Later loads do not wait either.
            #expect(try await service.load(origin.url + "/b").data.data == picture(1))
        }
    }

    private func withOrigin(
        _ answers: Answers, _ time: any MonotonicClock = .system,
        _ body: (OriginServer, EdgeService) async throws -> Void
    ) async throws {
        var options = EdgeService.Options()
        options.time = time
        try await OriginServer.with(answers.script) { [options] origin in
            try await EdgeService.with(origin, options) { try await body(origin, $0) }
        }
    }

    /// Loads images concurrently, and expects them all to be whole.
    /// - Returns: those that are to be loaded again, because the connection was overloaded.
    private func overloaded(
        _ urls: [String], _ isWhole: @escaping @Sendable (String) async throws -> Bool
    ) async throws -> [String] {
        try await withThrowingTaskGroup(of: String?.self) { group in
            for url in urls {
                group.addTask {
                    do {
                        let isWhole = try await isWhole(url)
                        #expect(isWhole)
                        return nil
                    } catch let error as RPCError where error.kind == .overloaded {
                        return url
                    }
                }
            }
            return try await group.reduce(into: []) { if let url = $1 { $0.append(url) } }
        }
    }
}
