import NIOCore

/// How long an origin may take when there is something else to answer with: less than its caller waits, so that what there
/// is arrives in time.
enum FetchBudget {
    /// Nobody wants to wait longer for what may be on the disk.
    static let longest = TimeAmount.seconds(10)

    /// The origin took longer.
    struct Spent: Error {}

    /// Three quarters of the time that the caller has left.
    static func time(until deadline: NIODeadline, now: NIODeadline) -> TimeAmount {
        guard deadline != .distantFuture else { return longest }
        return min(.nanoseconds((deadline - now).nanoseconds / 4 * 3), longest)
    }

    /// - Throws: `Spent` when `body` took longer; it is cancelled then.
    static func run<Result: Sendable>(
        until deadline: NIODeadline, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: Duration(time(until: deadline, now: .now())))
                throw Spent()
            }
            guard let result = try await group.next() else { throw Spent() }
            return result
        }
    }
}
