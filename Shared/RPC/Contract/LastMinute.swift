import NIOCore

/// What can be counted in parts and summed.
public protocol Summable: Sendable {
    /// Nothing.
    init()

    func adding(_ other: Self) -> Self
}

/// Counts what happened in the last minute, in steps of a few seconds, so that its size is fixed.
///
/// Other modules inline `add`: each request passes it, and without its type the call took 1.5 % of a short answer's time.
public struct LastMinute<Counts: Summable>: Sendable {
    @usableFromInline struct Step: Sendable {
        @usableFromInline let number: UInt64
        @usableFromInline var counts = Counts()

        @usableFromInline init(number: UInt64) { self.number = number }
    }

    /// The oldest step goes as a whole, so the counts are those of the last 55 to 60 seconds.
    @inlinable static var stepTime: TimeAmount { .seconds(5) }
    @inlinable static var stepsPerMinute: UInt64 { 12 }

    /// In the order of their numbers; only those in which something happened.
    @usableFromInline var steps: [Step] = []

    public init() {}

    /// - Parameter change: adds what has happened.
    @inlinable public mutating func add(at now: NIODeadline, _ change: (inout Counts) -> Void) {
        let number = Self.number(of: now)
        // Threads may arrive here in another order than they have read the clock.
        if steps.last.map({ $0.number < number }) ?? true {
            steps.removeAll { !Self.isRecent($0, at: number) }
            steps.append(Step(number: number))
        }
        change(&steps[steps.count - 1].counts)
    }

    public func counts(at now: NIODeadline) -> Counts {
        let number = Self.number(of: now)
        return steps.filter { Self.isRecent($0, at: number) }.reduce(Counts()) { $0.adding($1.counts) }
    }

    @inlinable static func number(of time: NIODeadline) -> UInt64 {
        time.uptimeNanoseconds / UInt64(stepTime.nanoseconds)
    }

    @inlinable static func isRecent(_ step: Step, at number: UInt64) -> Bool { step.number + stepsPerMinute > number }
}
