import Foundation
import NIOCore

/// Counts the uses of a part of a service in the last minute, and how many of them took longer than a limit. So it knows whether the
/// part is slow, and since when.
///
/// A part becomes slow when many uses were, and recovers when few were or there was none, so that its state does not flicker. No
/// timer runs: uses and questions move the time on.
public struct Slowness: Sendable {
    /// With fewer uses nothing becomes slow.
    public static let fewestUses = 10

    /// The shares of slow uses, in per cent, with which a part becomes slow, and below which it recovers.
    public static let slowShare = 50
    public static let recoveredShare = 20

    /// The limits of a part's use: of a call, of a use of a store, of a request to an upstream.
    public static let callLimit = TimeAmount.seconds(1)
    public static let storeLimit = TimeAmount.milliseconds(250)
    public static let upstreamLimit = TimeAmount.seconds(2)

    private struct Uses: Summable {
        var all = 0
        var slow = 0

        func adding(_ other: Uses) -> Uses { Uses(all: all + other.all, slow: slow + other.slow) }
    }

    private let limit: TimeAmount
    private var lastMinute = LastMinute<Uses>()
    private var slowSince: NIODeadline?

    public init(limit: TimeAmount) { self.limit = limit }

    /// Notes a use that has ended.
    public mutating func note(_ time: TimeAmount, at now: NIODeadline) {
        // It may have recovered since the last use.
        if slowSince != nil { update(at: now) }
        let isSlow = time > limit
        lastMinute.add(at: now) { uses in
            uses.all += 1
            if isSlow { uses.slow += 1 }
        }
        if isSlow { update(at: now) }
    }

    private mutating func update(at now: NIODeadline) {
        let uses = lastMinute.counts(at: now)
        if slowSince != nil {
            if uses.slow * 100 < uses.all * Self.recoveredShare || uses.all == 0 { slowSince = nil }
        } else if uses.all >= Self.fewestUses, uses.slow * 100 >= uses.all * Self.slowShare {
            slowSince = now
        }
    }

    /// The check for `rpc.health`; nil while the part is not slow.
    /// - Parameters:
    ///   - part: its name in the check.
    ///   - title: its name in the text.
    ///   - remedy: what the operator can do.
    ///   - date: the time `now` on the wall clock.
    public mutating func check(
        _ part: String, title: String, remedy: String, at now: NIODeadline, date: Date
    ) -> Health.Check? {
        update(at: now)
        guard let slowSince else { return nil }
        let (uses, milliseconds) = (lastMinute.counts(at: now), limit.nanoseconds / 1_000_000)
        let share = "\(uses.slow) of \(uses.all) uses in the last minute took over \(milliseconds) ms"
        return Health.Check(
            name: Health.Check.slowPrefix + part, status: .degraded, detail: "\(title) is slow: \(share); \(remedy)",
            since: date.addingTimeInterval(-Double((now - slowSince).nanoseconds) / 1e9))
    }
}

extension Health.Check {
    /// Begins the name of a check that is there only while a part is slow.
    static let slowPrefix = "slow:"

    /// Begins the name of a check that is there only while a part of a store's content is damaged.
    public static let contentPrefix = "content:"

    /// Begins the name of a check that is there only while nothing can be written to a store.
    public static let writesPrefix = "writes:"

    /// Begins the name of a check that is there only while a service does not hear of the writes of others to a store.
    public static let changesPrefix = "changes:"

    /// The name of the store without which a service answers no call.
    public static let store = "store"

    /// Whether it says that a part is slow.
    var isSlowness: Bool { name.hasPrefix(Self.slowPrefix) }

    /// Whether the part can be used all the same.
    public var leavesUsable: Bool {
        [Self.slowPrefix, Self.contentPrefix, Self.writesPrefix, Self.changesPrefix].contains { name.hasPrefix($0) }
    }
}

extension Health {
    /// Whether the service answers no call, because it has no store that can be used.
    public var isWithoutStore: Bool { checks.contains { $0.name == Check.store && $0.status != .serving } }
}
