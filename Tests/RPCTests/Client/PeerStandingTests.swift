import Testing

@testable import RPC

@Suite struct PeerStandingTests {
    @Test func `each change is reported once`() {
        var standing = PeerStanding()
        #expect(standing.greeted(by: "a") == .appeared)
        #expect(standing.greeted(by: "a") == nil)
        #expect(standing.failed() == .down(reason: "refused"))
        #expect(standing.failed() == nil)
        #expect(standing.lost(.silent) == nil)
        #expect(standing.greeted(by: "a") == .returned(isNew: false))
        #expect(standing.lost(.silent) == .silent)
        #expect(standing.failed() == nil)
        #expect(standing.answered() == .returned(isNew: false))
        #expect(standing.answered() == nil)
    }

    @Test func `a restarted process is reported, whether calls have failed or not`() {
        var standing = PeerStanding()
        _ = standing.greeted(by: "a")
        #expect(standing.greeted(by: "b") == .restarted)
        _ = standing.failed()
        #expect(standing.greeted(by: "c") == .returned(isNew: true))
    }

    @Test func `a peer that never answered is reported as down after 8 attempts, not before`() {
        var standing = PeerStanding()
        #expect(standing.failedToConnect(attempts: PeerStanding.firstAttempts - 1, "refused") == nil)
        #expect(standing.failedToConnect(attempts: PeerStanding.firstAttempts, "refused") == .down(reason: "refused"))
        #expect(standing.failedToConnect(attempts: PeerStanding.firstAttempts + 1, "refused") == nil)
        #expect(standing.greeted(by: "a") == .returned(isNew: false))
    }

    @Test func `the first answer of a peer ends a failure that was reported`() {
        var standing = PeerStanding()
        #expect(standing.lost(.silent) == .silent)
        #expect(standing.greeted(by: "a") == .returned(isNew: false))
        #expect(standing.greeted(by: "b") == .restarted)
    }

    @Test func `a plain peer, which names no process, is reported as returned`() {
        var standing = PeerStanding()
        #expect(standing.greeted(by: nil) == .appeared)
        #expect(standing.greeted(by: nil) == nil)
        _ = standing.failed()
        #expect(standing.greeted(by: nil) == .returned(isNew: false))
    }

    @Test func `a violation is reported once for each greeting`() {
        var standing = PeerStanding()
        #expect(standing.violated("x") == .violated(reason: "x"))
        #expect(standing.violated("x") == nil)
        #expect(standing.greeted(by: "a") == .returned(isNew: false))
        #expect(standing.violated("y") == .violated(reason: "y"))
    }

    @Test func `of an absent peer it is reported whether it is incompatible`() {
        var standing = PeerStanding()
        #expect(standing.greeted(by: "a") == .appeared)
        #expect(standing.lost(.silent) == .silent)
        #expect(standing.lost(.down(reason: "refused")) == nil)
        #expect(standing.lost(.incompatible(reason: "version 2")) == .incompatible(reason: "version 2"))
        #expect(standing.lost(.incompatible(reason: "version 2")) == nil)
        #expect(standing.lost(.down(reason: "refused")) == .down(reason: "refused"))
        #expect(standing.greeted(by: "a") == .returned(isNew: false))
    }
}

extension PeerStanding {
    /// Attempts to connect to a known peer have failed for so long that the circuit is open.
    fileprivate mutating func failed() -> PeerChange? { failedToConnect(attempts: 1, "refused") }
}
