import Foundation
import Logging
import RPC
import RPCTestKit
import Testing

@testable import search_service

/// What the service says of the completeness of its index.
@Suite struct IndexStandingTests {
    private let clock = TestClock()
    private let standing: IndexStanding

    init() {
        standing = IndexStanding(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, now: clock.read)
    }

    /// Follows both services, with all images indexed.
    private func follow() {
        standing.noteStored(indexing: nil, currentAt: nil)
        standing.noteFollowing(.feed)
        standing.noteFollowing(.comments)
        standing.noteCurrent(true)
    }

    private func status(_ name: String) -> Health.Status? { standing.checks.first { $0.name == name }?.status }

    @Test("before the index is read, nothing is known") func start() {
        #expect(standing.indexedAt == nil)
        #expect(standing.indexing == 0)
        #expect(standing.checks.allSatisfy { $0.status == .degraded })
    }

    @Test("an index that follows both services has all changes up to now") func current() {
        follow()
        clock.now = moment(100)
        #expect(standing.indexedAt == clock.now)
        #expect(standing.checks.allSatisfy { $0.status == .serving })
    }

    @Test("when a service is lost, the time stands still, also when the other one is lost later") func lost() {
        follow()
        clock.now = moment(100)
        standing.noteLost(.comments, RPCError(.unavailable, "x"))
        clock.now = moment(200)
        standing.noteLost(.feed, RPCError(.unavailable, "x"))
        standing.noteCurrent(true)
        clock.now = moment(300)
        #expect(standing.indexedAt == moment(100))
        #expect(status("comments") == .degraded && status("feed") == .degraded && status("index") == .serving)
        standing.noteFollowing(.feed)
        #expect(standing.indexedAt == moment(100))
        standing.noteFollowing(.comments)
        #expect(standing.indexedAt == clock.now)
    }

    @Test("an index that cannot be written says so, and its time stands still") func fault() {
        follow()
        clock.now = moment(100)
        standing.noteFault(RPCError(.unavailable, "no space"))
        clock.now = moment(200)
        #expect(standing.indexedAt == moment(100))
        let check = standing.checks.first { $0.name == "index" }
        #expect(check?.status == .degraded)
        #expect(check?.detail?.contains("cannot index: ") == true && check?.detail?.contains("no space") == true)
        standing.noteCurrent(true)
        #expect(standing.indexedAt == clock.now)
        #expect(status("index") == .serving)
    }

    @Test("events that are not applied yet do not count") func behind() {
        follow()
        clock.now = moment(100)
        standing.noteCurrent(true)
        clock.now = moment(200)
        standing.noteCurrent(false)
        clock.now = moment(300)
        #expect(standing.indexedAt == moment(100))
    }

    @Test("an incomplete index says how far it is, also after a start") func incomplete() {
        standing.noteStored(indexing: 41, currentAt: moment(5))
        standing.noteFollowing(.feed)
        standing.noteFollowing(.comments)
        standing.noteCurrent(true)
        #expect(standing.indexing == 41)
        #expect(standing.indexedAt == moment(5))
        #expect(standing.checks.first { $0.name == "index" }?.detail == "indexing 41 %")
        standing.noteIndexing(nil)
        #expect(standing.indexedAt == clock.now)
    }
}
