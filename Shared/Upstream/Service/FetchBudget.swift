/// How long an upstream may take where there is something else to answer with: less than its caller waits, so that what
/// there is arrives in time.
public enum FetchBudget {
    /// Nobody waits longer than this for what may be kept already.
    public static let most = Duration.seconds(10)

    /// What is left for the fallback, where the caller has that much.
    public static let reserve = Duration.milliseconds(500)

    /// The least that says something about the upstream, rather than about the caller.
    public static let fair = Duration.seconds(1)

    /// Nobody waits longer than this for an upstream that gave no answer the last time: its monitor finds out when it is back.
    public static let mostWhileAbsent = fair

    /// The upstream took longer.
    public struct Spent: Error, Equatable, CustomStringConvertible {
        public let time: Duration

        public init(time: Duration) { self.time = time }

        /// Whether the upstream is to blame.
        public var isFair: Bool { time >= FetchBudget.fair }

        public var description: String { "it has not answered within \(Int(time / .milliseconds(1))) ms" }
    }

    /// A quarter of a short time is left.
    /// - Parameters:
    ///   - isAbsent: whether the upstream gave no answer the last time.
    ///   - hasFallback: false where there is certainly nothing else to answer with: a long answer may then take all the time
    ///     that its caller has. An upstream that makes no progress ends it before (`UpstreamLimits`).
    public static func time(of remaining: Duration, isAbsent: Bool = false, hasFallback: Bool = true) -> Duration {
        let time = max(.zero, max(remaining - reserve, remaining * 3 / 4))
        if isAbsent { return min(time, mostWhileAbsent) }
        return hasFallback ? min(time, most) : time
    }

    /// Waits for `body` for so long at the most; what is not done by then is cancelled.
    /// - Throws: `Spent`, or what `body` throws.
    public static func run<Result: Sendable>(
        within time: Duration, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: time)
                throw Spent(time: time)
            }
            defer { group.cancelAll() }
            guard let result = try await group.next() else { throw CancellationError() }
            return result
        }
    }
}
