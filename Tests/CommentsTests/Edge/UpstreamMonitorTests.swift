import Foundation
import RPC
import Testing

@testable import comments_service

@Suite struct UpstreamMonitorTests {
    private let log = RecordedLog()
    private let monitor: UpstreamMonitor

    init() { monitor = UpstreamMonitor(logger: log.logger, now: { moment(7) }) }

    @Test func `what goes well is silent`() async throws {
        try await succeed(1)
        #expect(monitor.check == Health.Check(name: "upstream", status: .serving, since: moment(7)))
        #expect(log.lines == [])
    }

    @Test func `a failure that stays is one line with its reason, and its end another`() async throws {
        for image in [1, 2, 1] { await fail(image) }
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.hasPrefix("error: ") == true)
        #expect(log.lines.first?.contains("no luck") == true)
        #expect(monitor.check.status == .degraded)
        for image in [3, 1] { try await succeed(image) }
        #expect(log.lines.dropFirst() == ["notice: the upstream answers again"])
        #expect(monitor.check.status == .serving)
    }

    @Test func `an image that fails among others that do not is one line`() async throws {
        for _ in 1...3 {
            await fail(1, .rejected("no luck"))
            try await succeed(2)
        }
        #expect(log.lines.count == 2)
        // Its end makes the next failure news.
        try await succeed(1)
        await fail(1, .rejected("no luck"))
        #expect(log.lines.count == 3)
    }

    @Test(arguments: [0, 1]) func `so many images are remembered`(excess: Int) async throws {
        let count = UpstreamMonitor.rememberedImages + excess
        for image in 1...count {
            await fail(image)
            try await succeed(0)
        }
        #expect(log.lines.count == 2 * count)
        await fail(1)
        #expect(log.lines.count == 2 * count + excess)
    }

    @Test(arguments: [(RemoteFailure.notFound, false), (.late(.milliseconds(999)), false), (.late(.seconds(1)), true)])
    func `not everything is the upstream's failure`(failure: RemoteFailure, counts: Bool) async throws {
        await fail(1, failure)
        #expect(monitor.check.status == (counts ? .degraded : .serving))
    }

    @Test func `what is no failure of the upstream is passed on`() async throws {
        await #expect(throws: Unreachable.self) {
            try await monitor.watching(UUID(number: 1), TraceContext()) { throw Unreachable() }
        }
        #expect(log.lines == [])
    }

    private func fail(_ image: Int, _ failure: RemoteFailure = .unreachable("no luck")) async {
        await #expect(throws: failure) {
            try await monitor.watching(UUID(number: image), TraceContext()) { throw failure }
        }
    }

    private func succeed(_ image: Int) async throws {
        try await monitor.watching(UUID(number: image), TraceContext()) {}
    }
}
