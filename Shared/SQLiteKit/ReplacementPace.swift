import Foundation

/// Limits how often a store is opened again: at once, then after pauses. Those of a cache grow, because each time its file may be
/// renamed, and a broken disk must not be filled with renamed files.
struct ReplacementPace: Sendable {
    static let firstPause: TimeInterval = 30
    static let pauseFactor = 4.0
    static let longestPause: TimeInterval = 86_400

    let isGrowing: Bool
    private var attempts = 0
    private var lastAttempt: Date?

    init(isGrowing: Bool) { self.isGrowing = isGrowing }

    func isDue(at now: Date) -> Bool {
        guard let lastAttempt else { return true }
        // After the clock was set back, the time since the last attempt is unknown.
        return now < lastAttempt || now >= lastAttempt.addingTimeInterval(pause)
    }

    mutating func note(at now: Date) {
        // A store that worked for the longest pause starts the series anew.
        let hasWorked = lastAttempt.map { now >= $0.addingTimeInterval(Self.longestPause) } ?? true
        attempts = hasWorked ? 1 : attempts + 1
        lastAttempt = now
    }

    private var pause: TimeInterval {
        isGrowing
            ? min(Self.longestPause, Self.firstPause * pow(Self.pauseFactor, Double(attempts - 1))) : Self.firstPause
    }
}
