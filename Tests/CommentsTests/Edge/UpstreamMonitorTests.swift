import EdgeKit
import Foundation
import RPC
import RPCTestKit
import Testing
import Upstream

@testable import comments_service

@Suite struct UpstreamMonitorTests {
    private let log = RecordedLog()
    private let monitor: UpstreamMonitor

    init() throws {
        monitor = UpstreamMonitor(try UpstreamBase("http://origin.example"), logger: log.logger, now: { moment(7) })
    }

    @Test(arguments: [
        (RemoteFailure.notFound, false), (.late(.init(time: .milliseconds(999))), false),
        (.late(.init(time: .seconds(1))), true),
    ])
    func `only some errors count as failures of the upstream`(failure: RemoteFailure, counts: Bool) async throws {
        await fail(1, failure)
        #expect(monitor.check.status == (counts ? .degraded : .serving))
    }

    @Test func `other errors are rethrown`() async throws {
        await #expect(throws: Unreachable.self) {
            try await monitor.watching(UUID(number: 1)) { throw Unreachable() }
        }
        #expect(log.lines == [])
    }

    private func fail(_ image: Int, _ failure: RemoteFailure = .unreachable("no luck")) async {
        await #expect(throws: failure) {
            try await monitor.watching(UUID(number: image)) { throw failure }
        }
    }
}
