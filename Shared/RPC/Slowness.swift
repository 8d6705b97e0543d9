import Foundation
import NIOCore

/// Counts the uses of a part of a service in the last minute, and how many of them took longer than a limit. So it knows whether the
/// part is slow, and since when.
///
/// A part becomes slow when many uses were, and recovers when few were or there was none, so that its state does not flicker. No
/// timer runs: uses and questions move the time on.
public struct Slowness: Sendable {
    /// The time whose uses count, in steps of `slotTime`.
    public static let memory = TimeAmount.seconds(60)
    static let slotTime = TimeAmount.seconds(10)

    /// With fewer uses nothing becomes slow.
    public static let fewestUses = 10

    /// The shares of slow uses, in per cent, with which a part becomes slow, and below which it recovers.
    public static let slowShare = 50
    public static let recoveredShare = 20

    /// The limits of a part's use: of a call, of a use of a store, of a request to an upstream.
    public static let callLimit = TimeAmount.seconds(1)
    public static let storeLimit = TimeAmount.milliseconds(250)
    public static let upstreamLimit = TimeAmount.seconds(2)

    private struct Counts {
        var uses = 0
        var slow = 0
    }

    private let limit: TimeAmount
    private var slots = [Counts](repeating: Counts(), count: slotCount)

    /// The number of the latest slot since the start of the clock.
    private var latest: UInt64 = 0
    private var slowSince: NIODeadline?

    private static let slotCount = Int(memory.nanoseconds / slotTime.nanoseconds)

    public init(limit: TimeAmount) { self.limit = limit }

    /// Notes a use that has ended.
    public mutating func note(_ time: TimeAmount, at now: NIODeadline) {
        advance(to: now)
        let slot = Int(latest % UInt64(Self.slotCount))
        slots[slot].uses += 1
        guard time > limit else { return }
        slots[slot].slow += 1
        update(at: now)
    }

    private mutating func advance(to now: NIODeadline) {
        let number = now.uptimeNanoseconds / UInt64(Self.slotTime.nanoseconds)
        guard number > latest else { return }
        for passed in latest + 1...min(number, latest + UInt64(Self.slotCount)) {
            slots[Int(passed % UInt64(Self.slotCount))] = Counts()
        }
        // After a longer pause all slots are empty, so their order does not matter.
        latest = number
        update(at: now)
    }

    private mutating func update(at now: NIODeadline) {
        let counts = counts
        if slowSince != nil {
            if counts.slow * 100 < counts.uses * Self.recoveredShare || counts.uses == 0 { slowSince = nil }
        } else if counts.uses >= Self.fewestUses, counts.slow * 100 >= counts.uses * Self.slowShare {
            slowSince = now
        }
    }

    private var counts: Counts {
        slots.reduce(into: Counts()) {
            $0.uses += $1.uses
            $0.slow += $1.slow
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
        advance(to: now)
        update(at: now)
        guard let slowSince else { return nil }
        let (counts, milliseconds) = (counts, limit.nanoseconds / 1_000_000)
        let share = "\(counts.slow) of \(counts.uses) uses in the last minute took over \(milliseconds) ms"
        return Health.Check(
            name: Health.Check.slowPrefix + part, status: .degraded, detail: "\(title) is slow: \(share); \(remedy)",
            since: date.addingTimeInterval(-Double((now - slowSince).nanoseconds) / 1e9))
    }
}

extension Health.Check {
    /// Begins the name of a check that is there only while a part is slow.
    static let slowPrefix = "slow:"

    /// Whether it says that a part is slow; the part can be used.
    public var isSlowness: Bool { name.hasPrefix(Self.slowPrefix) }
}
