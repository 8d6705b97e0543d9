import Timing

/// Computes how long to wait for an upstream: less than the caller's remaining time, so that a fallback arrives in time.
public enum FetchBudget {
    /// The longest wait when there may be a cached answer.
    public static let most = Duration.seconds(10)

    /// The time reserved for the fallback, if the caller has that much.
    public static let reserve = Duration.milliseconds(500)

    /// The shortest wait after which the upstream, not the caller's deadline, is to blame.
    public static let fair = Duration.seconds(1)

    /// The longest wait for an upstream that did not answer the last request. Its monitor detects when it answers again.
    public static let mostWhileAbsent = fair

    /// The upstream did not answer within its budget.
    public struct Spent: Error, Equatable, CustomStringConvertible {
        public let time: Duration

        public init(time: Duration) { self.time = time }

        /// Whether the upstream is to blame.
        public var isFair: Bool { time >= FetchBudget.fair }

        public var description: String { "it has not answered within \(Int(time / .milliseconds(1))) ms" }
    }

    /// The time that the upstream may take.
    /// - Parameters:
    ///   - remaining: the time until the caller's deadline. At least the lower of `reserve` and a quarter of it is left.
    ///   - isAbsent: whether the upstream did not answer the last request.
    ///   - hasFallback: false if there is certainly no cached answer. Then a long answer may take all the remaining time; an
    ///     upstream that makes no progress times out earlier (`UpstreamLimits`).
    public static func time(
        of remaining: Duration, isAbsent: Bool = false, hasFallback: Bool = true
    ) -> Duration {
        let time = max(.zero, max(remaining - reserve, remaining * 3 / 4))
        if isAbsent { return min(time, mostWhileAbsent) }
        return hasFallback ? min(time, most) : time
    }

    /// Runs `body` and cancels it after the given time on the clock.
    /// - Throws: `Spent`, or what `body` throws.
    public static func run<Result: Sendable>(
        within time: Duration, on clock: any MonotonicClock = .system,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await clock.sleep(for: time)
                throw Spent(time: time)
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }
}
