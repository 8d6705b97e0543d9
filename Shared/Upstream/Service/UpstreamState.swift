import Foundation

/// What the answers and failures of an upstream say about it. Pure: the time is an argument, and methods return what is to
/// be logged.
///
/// ```
///              answered                      rejected
///   serving <───────────── absent ─────────────────────────> degraded
///      │                      ^  answered, something fails       │
///      └── no answer ─────────┴───────────── no answer ──────────┘
/// ```
///
/// - It is *absent* from a request without an answer to the next answer, of whatever subject: a rejected answer is one.
/// - It is *degraded* while it answers and some subject fails.
/// - A rejected answer is a failure of its subject. A missing answer is one of the whole upstream, which its next answer
///   ends. But a subject that gets no answer again within `memory`, though the upstream has answered others in between, fails by
///   itself: so the state does not follow every turn when one subject always hangs and others work.
/// - A subject fails until it answers, or until `memory` after its last failure.
struct UpstreamState: Sendable {
    enum Phase: Equatable {
        case serving(since: Date)
        case degraded(Fault)
        case absent(Fault)
    }

    /// What has gone wrong since it last served.
    struct Fault: Equatable {
        let since: Date
        var count = 0
        var reason = ""
    }

    enum Line: Equatable {
        case failure(String)
        case recovery
    }

    private enum Trouble {
        /// It got no answer while the upstream was absent.
        case away
        /// It got no answer then, and the upstream has answered others since.
        case forgiven
        /// It fails by itself.
        case failing
    }

    /// How long a subject's failure counts, in seconds.
    static let memory: TimeInterval = 300

    private(set) var phase: Phase
    private var subjects: [String: (trouble: Trouble, at: Date)] = [:]

    /// The failures of subjects since it last served, and the absences, for which the former leave room.
    private var failures = FailureFilter()
    private var absences = FailureFilter()

    /// Whether the log has an absence, or a failure of a subject, without its end.
    private var hasLoggedAbsence = false
    private var hasLoggedFailure = false

    init(since now: Date) { phase = .serving(since: now) }

    var isAbsent: Bool { if case .absent = phase { true } else { false } }

    // MARK: Events

    /// The subject got the answer that it should.
    mutating func answered(_ subject: String, at now: Date) -> Line? {
        subjects[subject] = nil
        failures.answered(subject)
        expire(at: now)
        hear()
        settle(at: now)
        return recovery()
    }

    /// The subject got an answer that cannot be used.
    mutating func rejected(_ subject: String, _ reason: String, at now: Date) -> Line? {
        expire(at: now)
        hear()
        note(subject, .failing, at: now)
        phase = .degraded(fault(reason, at: now))
        guard failures.shouldLog(reason, of: subject, at: now) else { return nil }
        hasLoggedFailure = true
        return .failure(reason)
    }

    /// The subject got no answer.
    mutating func missed(_ subject: String, _ reason: String, at now: Date) -> Line? {
        expire(at: now)
        let wasAbsent = isAbsent
        let trouble: Trouble =
            switch subjects[subject]?.trouble {
            case .forgiven, .failing: .failing
            case .away, nil: .away
            }
        note(subject, trouble, at: now)
        phase = .absent(fault(reason, at: now))
        // One line says that the upstream is absent, and one more that a subject fails by itself.
        if trouble == .failing {
            guard failures.shouldLog("no answer", of: subject, at: now) else { return nil }
            hasLoggedFailure = true
        } else {
            guard !wasAbsent, absences.hasRoom(at: now) else { return nil }
            hasLoggedAbsence = true
        }
        return .failure(reason)
    }

    /// Forgets what is too old to count.
    mutating func pass(_ now: Date) -> Line? {
        expire(at: now)
        return recovery()
    }

    // MARK: Parts

    /// The upstream has answered. Earlier subjects without an answer failed because of the absence.
    private mutating func hear() {
        guard isAbsent else { return }
        for (subject, entry) in subjects where entry.trouble == .away { subjects[subject]?.trouble = .forgiven }
    }

    private mutating func note(_ subject: String, _ trouble: Trouble, at now: Date) {
        if subjects.count >= FailureFilter.subjects, subjects[subject] == nil { subjects.removeAll() }
        subjects[subject] = (trouble, now)
    }

    /// Forgets what is too old to count.
    private mutating func expire(at now: Date) {
        for (subject, entry) in subjects where now.timeIntervalSince(entry.at) >= Self.memory {
            subjects[subject] = nil
        }
        if !isAbsent { settle(at: now) }
    }

    private func fault(_ reason: String, at now: Date) -> Fault {
        var fault =
            switch phase {
            case .serving: Fault(since: now)
            case .degraded(let fault), .absent(let fault): fault
            }
        fault.count += 1
        fault.reason = reason
        return fault
    }

    /// Serves unless some subject fails. Not for an upstream whose last request got no answer.
    private mutating func settle(at now: Date) {
        switch phase {
        case .serving: break
        case .degraded(let fault), .absent(let fault):
            let fails = subjects.values.contains { $0.trouble == .failing }
            phase = fails ? .degraded(fault) : .serving(since: now)
            if !fails { failures.forget() }
        }
    }

    /// The end of what was logged.
    private mutating func recovery() -> Line? {
        switch phase {
        case .absent: return nil
        case .degraded:
            defer { hasLoggedAbsence = false }
            return hasLoggedAbsence ? .recovery : nil
        case .serving:
            defer { (hasLoggedAbsence, hasLoggedFailure) = (false, false) }
            return hasLoggedAbsence || hasLoggedFailure ? .recovery : nil
        }
    }
}
