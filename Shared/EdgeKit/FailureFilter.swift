import Foundation

/// Decides which failures to log: each reason of a subject once until the subject answers, and at most `lines` lines per
/// `window`. Pure: the time is an argument.
struct FailureFilter: Sendable {
    /// The maximum number of remembered subjects. One more removes them all.
    static let subjects = 1_000

    /// The most lines per window, and the window in seconds. So an upstream that fails in a new way each time does not fill the
    /// log.
    static let lines = 10
    static let window: TimeInterval = 300

    private var logged: [String: Set<String>] = [:]
    private var windowBegin = Date.distantPast
    private var linesInWindow = 0

    /// - Returns: whether to write a line now. If true, the line counts as written.
    mutating func shouldLog(_ reason: String, of subject: String, at now: Date) -> Bool {
        let reasons = logged[subject, default: []]
        guard !reasons.contains(reason), reasons.count < Self.lines, hasRoom(at: now) else { return false }
        if logged.count >= Self.subjects, logged[subject] == nil { logged.removeAll() }
        logged[subject, default: []].insert(reason)
        return true
    }

    /// - Returns: whether the window allows one more line. If true, the line counts as written.
    mutating func hasRoom(at now: Date) -> Bool {
        if abs(now.timeIntervalSince(windowBegin)) >= Self.window { (windowBegin, linesInWindow) = (now, 0) }
        guard linesInWindow < Self.lines else { return false }
        linesInWindow += 1
        return true
    }

    /// Forgets the failures of a subject, so that its next one is logged.
    mutating func answered(_ subject: String) { logged[subject] = nil }
}
