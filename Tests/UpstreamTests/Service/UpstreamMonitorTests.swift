import Foundation
import RPC
import RPCTestKit
import Testing
import Upstream

@Suite struct UpstreamMonitorTests {
    private let log = RecordedLog()
    private let monitor: UpstreamMonitor

    init() throws {
        monitor = UpstreamMonitor(
            try UpstreamBase("http://origin.example"), logger: log.logger,
            now: { Date(timeIntervalSince1970: 7) })
    }

    private func fail(_ error: UpstreamError) async {
        await #expect(throws: UpstreamError.self) {
            try await monitor.watching { () throws(UpstreamError) in throw error }
        }
    }

    private func succeed() async throws {
        let answer = try await monitor.watching { () throws(UpstreamError) in 42 }
        #expect(answer == 42)
    }

    @Test func `an upstream that answers is passed on in silence`() async throws {
        try await succeed()
        #expect(
            monitor.check == Health.Check(name: "upstream", status: .serving, since: Date(timeIntervalSince1970: 7)))
        #expect(log.lines == [])
    }

    @Test func `a failure that stays is one line, whatever it is each time, and its end another`() async throws {
        await fail(.unreachable(host: "origin.example", reason: "refused"))
        await fail(.timedOut(.firstByte, limit: .seconds(10)))
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains("http://origin.example") == true)
        #expect(monitor.check.status == .degraded)
        #expect(monitor.check.detail?.contains("(2 times)") == true)
        try await succeed()
        try await succeed()
        #expect(log.lines.count == 2)
        #expect(monitor.check.status == .serving)
    }

    @Test(arguments: [UpstreamError.cancelled, .shutDown, .overloaded("full"), .refused(.scheme("ftp"))])
    func `what ends here says nothing about the upstream`(error: UpstreamError) async {
        await fail(error)
        #expect(monitor.check.status == .serving)
        await fail(.unreachable(host: "origin.example", reason: "refused"))
        await fail(error)
        #expect(monitor.check.status == .degraded)
    }

    @Test func `an upstream that answers nonsense answers`() async {
        await fail(.malformed("two lengths"))
        #expect(monitor.check.status == .serving)
    }
}
