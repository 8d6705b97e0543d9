import Foundation

/// Chooses the failures that are worth a line in the log: each reason of a subject once until the subject answers, and at
/// most so many lines in a while. Pure: the time is an argument.
struct FailureFilter: Sendable {
    /// How many subjects are remembered; one more forgets them all.
    static let subjects = 1_000

    /// The most lines in so many seconds, so that an upstream which finds a new way to fail each time does not fill the log.
    static let lines = 10
    static let window: TimeInterval = 300

    private var logged: [String: Set<String>] = [:]
    private var windowBegin = Date.distantPast
    private var linesInWindow = 0

    /// - Returns: whether to write a line now; then it counts as written.
    mutating func shouldLog(_ reason: String, of subject: String, at now: Date) -> Bool {
        let reasons = logged[subject, default: []]
        guard !reasons.contains(reason), reasons.count < Self.lines, hasRoom(at: now) else { return false }
        if logged.count >= Self.subjects, logged[subject] == nil { logged.removeAll() }
        logged[subject, default: []].insert(reason)
        return true
    }

    /// - Returns: whether one more line may be written now; then it counts as written.
    mutating func hasRoom(at now: Date) -> Bool {
        if abs(now.timeIntervalSince(windowBegin)) >= Self.window { (windowBegin, linesInWindow) = (now, 0) }
        guard linesInWindow < Self.lines else { return false }
        linesInWindow += 1
        return true
    }

    /// The subject's next failure is a new one.
    mutating func answered(_ subject: String) { logged[subject] = nil }

    /// All failures from now on are new ones.
    mutating func forget() { logged.removeAll() }
}
