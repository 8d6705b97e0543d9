import Foundation

/// Says when a store may be replaced or opened again: at once, then after pauses that grow, so that a disk on which every
/// store breaks is not filled with their remains.
struct ReplacementPace: Sendable {
    static let firstPause: TimeInterval = 30
    static let pauseFactor = 4.0
    static let longestPause: TimeInterval = 86_400

    private var attempts = 0
    private var lastAttempt: Date?

    func isDue(at now: Date) -> Bool {
        guard let lastAttempt else { return true }
        // A clock that was set back says nothing about the time that has passed.
        return now < lastAttempt || now >= lastAttempt.addingTimeInterval(pause)
    }

    mutating func note(at now: Date) {
        // A store that has worked for the longest pause is not the one that breaks again and again.
        let hasWorked = lastAttempt.map { now >= $0.addingTimeInterval(Self.longestPause) } ?? true
        attempts = hasWorked ? 1 : attempts + 1
        lastAttempt = now
    }

    private var pause: TimeInterval {
        min(Self.longestPause, Self.firstPause * pow(Self.pauseFactor, Double(attempts - 1)))
    }
}
