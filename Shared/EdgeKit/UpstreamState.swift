import Foundation

/// The state of an upstream, derived from its answers and failures. Pure: the time is an argument, and methods return the line
/// to log.
///
/// ```
///              answered                      rejected
///   serving <───────────── absent ─────────────────────────> degraded
///      │                      ^  answered, something fails       │
///      └── no answer ─────────┴───────────── no answer ──────────┘
/// ```
///
/// - It is *absent* from a request without an answer until the next answer for any subject. A rejected answer counts.
/// - It is *degraded* while it answers and a subject fails.
/// - A rejected answer is a failure of its subject. A missing answer is a failure of the whole upstream, which the next answer
///   ends. But a subject without an answer twice within `memory`, while the upstream answered other subjects in between, fails
///   by itself. So the state does not flap when one subject always hangs and others work.
/// - A subject fails until it answers, or until `memory` after its last failure.
struct UpstreamState: Sendable {
    enum Phase: Equatable {
        case serving(since: Date)
        case degraded(Fault)
        case absent(Fault)
    }

    /// The failures since the upstream last served.
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
        /// No answer, and the upstream is absent.
        case away
        /// No answer, but the upstream has answered another subject since.
        case forgiven
        /// The subject fails by itself.
        case failing
    }

    /// How long a subject's failure counts, in seconds.
    static let memory: TimeInterval = 300

    private(set) var phase: Phase
    private var subjects: [String: (trouble: Trouble, at: Date)] = [:]

    /// The filters for failures of subjects since the upstream last served, and for absences. They are separate, so that failures
    /// do not use up the lines for absences.
    private var failures = FailureFilter()
    private var absences = FailureFilter()

    /// Whether an absence, or a failure of a subject, was logged and its end was not.
    private var hasLoggedAbsence = false
    private var hasLoggedFailure = false

    init(since now: Date) { phase = .serving(since: now) }

    var isAbsent: Bool { if case .absent = phase { true } else { false } }

    // MARK: Events

    /// Notes a good answer.
    mutating func answered(_ subject: String, at now: Date) -> Line? {
        subjects[subject] = nil
        failures.answered(subject)
        expire(at: now)
        hear()
        settle(at: now)
        return recovery()
    }

    /// Notes an unusable answer.
    mutating func rejected(_ subject: String, _ reason: String, at now: Date) -> Line? {
        expire(at: now)
        hear()
        note(subject, .failing, at: now)
        phase = .degraded(fault(reason, at: now))
        guard failures.shouldLog(reason, of: subject, at: now) else { return nil }
        hasLoggedFailure = true
        return .failure(reason)
    }

    /// Notes a request without an answer.
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
        // An absence gets one line, and a subject that fails by itself another.
        if trouble == .failing {
            guard failures.shouldLog("no answer", of: subject, at: now) else { return nil }
            hasLoggedFailure = true
        } else {
            guard !wasAbsent, absences.hasRoom(at: now) else { return nil }
            hasLoggedAbsence = true
        }
        return .failure(reason)
    }

    /// Expires old failures.
    mutating func pass(_ now: Date) -> Line? {
        expire(at: now)
        return recovery()
    }

    // MARK: Parts

    /// Notes that the upstream answered, so that earlier missing answers are blamed on the absence, not on their subjects.
    private mutating func hear() {
        guard isAbsent else { return }
        for (subject, entry) in subjects where entry.trouble == .away { subjects[subject]?.trouble = .forgiven }
    }

    private mutating func note(_ subject: String, _ trouble: Trouble, at now: Date) {
        if subjects.count >= FailureFilter.subjects, subjects[subject] == nil { subjects.removeAll() }
        subjects[subject] = (trouble, now)
    }

    /// Expires old failures.
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

    /// Changes the phase to serving or, if a subject fails, to degraded. The last request must have got an answer.
    private mutating func settle(at now: Date) {
        switch phase {
        case .serving: break
        case .degraded(let fault), .absent(let fault):
            let fails = subjects.values.contains { $0.trouble == .failing }
            phase = fails ? .degraded(fault) : .serving(since: now)
            if !fails { failures.forget() }
        }
    }

    /// The recovery line, if a failure was logged and is over.
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
