import Foundation
import RPCTestKit
import Testing

@testable import EdgeKit
@testable import Upstream

struct UpstreamStateTests {
    private static func moment(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

    @Test func `after a failure of A, an answer of B and another failure of A, the upstream is absent`() {
        var state = UpstreamState(since: Self.moment(0))
        _ = state.missed("A", "refused", at: Self.moment(1))
        _ = state.answered("B", at: Self.moment(2))
        #expect(state.phase == .serving(since: Self.moment(2)))
        _ = state.missed("A", "refused", at: Self.moment(3))
        #expect(state.isAbsent)
        _ = state.answered("B", at: Self.moment(4))
        #expect(!state.isAbsent)
    }

    @Test func `a subject without answers, among others with answers, changes the state once`() {
        var state = UpstreamState(since: Self.moment(0))
        var lines: [UpstreamState.Line] = []
        var changes = 0
        for turn in 0..<1_000 {
            let now = Self.moment(Double(turn * 10))
            let wasServing = state.isServing
            lines += [state.missed("A", "too late", at: now), state.answered("B", at: now + 1)].compactMap(\.self)
            if turn > 0, state.isServing != wasServing { changes += 1 }
        }
        #expect(changes == 1)
        #expect(!state.isServing && !state.isAbsent)
        #expect(lines == [.failure("too late"), .recovery, .failure("too late")])
        #expect(state.answered("A", at: Self.moment(10_000)) == .recovery)
        #expect(state.isServing)
    }

    @Test func `a rejected answer degrades the upstream until its subject answers`() {
        var state = UpstreamState(since: Self.moment(0))
        #expect(state.rejected("A", "no JSON", at: Self.moment(1)) == .failure("no JSON"))
        for turn in 2..<10 {
            #expect(state.answered("B", at: Self.moment(Double(turn))) == nil)
            #expect(state.rejected("A", "no JSON", at: Self.moment(Double(turn))) == nil)
            #expect(!state.isServing && !state.isAbsent)
        }
        #expect(state.answered("A", at: Self.moment(10)) == .recovery)
        #expect(state.isServing)
    }

    @Test(arguments: [(299, false), (300, true), (301, true)])
    func `a single failure counts for five minutes`(seconds: Int, isOver: Bool) {
        var state = UpstreamState(since: Self.moment(0))
        _ = state.rejected("A", "no JSON", at: Self.moment(1))
        let line = state.pass(Self.moment(Double(1 + seconds)))
        #expect(state.isServing == isOver && (line == .recovery) == isOver)
    }

    @Test func `an absence does not end without an answer`() {
        var state = UpstreamState(since: Self.moment(0))
        _ = state.missed("A", "refused", at: Self.moment(1))
        #expect(state.pass(Self.moment(1_000_000)) == nil)
        #expect(state.isAbsent)
        #expect(state.rejected("B", "no JSON", at: Self.moment(1_000_001)) == .failure("no JSON"))
        #expect(!state.isAbsent && !state.isServing)
    }

    @Test func `one answer ends an outage, however many subjects failed in it`() {
        var state = UpstreamState(since: Self.moment(0))
        let lines = (0..<100).compactMap { state.missed("\($0)", "refused", at: Self.moment(Double($0))) }
        #expect(lines == [.failure("refused")])
        #expect(state.answered("another", at: Self.moment(100)) == .recovery)
        #expect(state.isServing)
    }

    @Test func `each outage is logged, even if the failed subject is not requested again`() {
        var state = UpstreamState(since: Self.moment(0))
        for day in 0..<3 {
            let now = Self.moment(Double(day) * 86_400)
            #expect(state.missed("A", "refused", at: now) == .failure("refused"))
            #expect(state.answered("a probe", at: now + 1) == .recovery)
            #expect(state.rejected("B", "no JSON", at: now + 2) == .failure("no JSON"))
            #expect(state.pass(now + 2 + UpstreamState.memory) == .recovery)
        }
    }

    @Test func `rejected answers do not use up the lines for absences, nor those of other subjects`() {
        var state = UpstreamState(since: Self.moment(0))
        let lines = (0..<2 * FailureFilter.lines).compactMap { state.rejected("A", "\($0)", at: Self.moment(1)) }
        #expect(lines.count == FailureFilter.lines)
        #expect(state.missed("B", "refused", at: Self.moment(2)) == .failure("refused"))
    }

    @Test func `the number of subjects is limited, and one more removes them all`() {
        var log = FailureFilter()
        for number in 0..<FailureFilter.subjects {
            let now = Self.moment(Double(number) * FailureFilter.window)
            #expect(log.shouldLog("no JSON", of: "\(number)", at: now) == true)
        }
        let later = Self.moment(1_000_000)
        #expect(log.shouldLog("no JSON", of: "0", at: later) == false)
        #expect(log.shouldLog("no JSON", of: "one more", at: later) == true)
        #expect(log.shouldLog("no JSON", of: "0", at: later) == true)
    }

    @Test func `a fault has its count, its start and the last reason`() {
        var state = UpstreamState(since: Self.moment(0))
        _ = state.rejected("A", "no JSON", at: Self.moment(1))
        _ = state.missed("B", "refused", at: Self.moment(2))
        #expect(state.phase == .absent(.init(since: Self.moment(1), count: 2, reason: "refused")))
        _ = state.answered("B", at: Self.moment(3))
        #expect(state.phase == .degraded(.init(since: Self.moment(1), count: 2, reason: "refused")))
    }

    // MARK: Random histories

    private static let seeds = UInt64(ModelSeeds.count(usual: 200))

    @Test func `state, budget and log match the history`() {
        for seed in 0..<Self.seeds {
            if let fault = Self.run(seed) {
                Issue.record("seed \(seed): \(fault)")
                return
            }
        }
    }

    /// - Returns: the violated invariant; nil for none.
    private static func run(_ seed: UInt64) -> String? {
        var random = SeededRandom(seed: seed)
        var now = moment(0)
        var state = UpstreamState(since: now)
        var history = UpstreamHistory()
        var written: [(line: UpstreamState.Line, at: Date)] = []
        for step in 0..<100 {
            now += [0, 1, 5, 60, 150, 299, 300, 301][Int.random(in: 0..<8, using: &random)]
            let subject = ["A", "B", "C"][Int.random(in: 0..<3, using: &random)]
            let line: UpstreamState.Line?
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                line = state.answered(subject, at: now)
                history.events.append(.init(subject, .answered, now))
            case 1:
                line = state.rejected(subject, "no JSON", at: now)
                history.events.append(.init(subject, .rejected, now))
            case 2:
                line = state.missed(subject, "refused", at: now)
                history.events.append(.init(subject, .missed, now))
            case 3 where state.isAbsent:
                // A probe is sent only in this case.
                line = state.answered("a probe", at: now)
                history.events.append(.init("a probe", .answered, now))
            default: line = state.pass(now)
            }
            if let line { written.append((line, now)) }
            if line == .recovery, state.isAbsent { return "step \(step): it has not recovered" }
            if let later = state.pass(now) { written.append((later, now)) }
            if let fault = history.contradicts(state, at: now) { return "step \(step): \(fault)" }
            if let fault = contradiction(of: written, with: state, at: now) { return "step \(step): \(fault)" }
        }
        return nil
    }

    private static func contradiction(
        of written: [(line: UpstreamState.Line, at: Date)], with state: UpstreamState, at now: Date
    ) -> String? {
        if state.isServing, let last = written.last, last.line != .recovery { return "the recovery was not logged" }
        let window = written.filter { $0.line != .recovery && now.timeIntervalSince($0.at) < FailureFilter.window }
        return window.count > 2 * FailureFilter.lines ? "\(window.count) lines in a window" : nil
    }
}

extension UpstreamState {
    fileprivate var isServing: Bool { if case .serving = phase { true } else { false } }
}

/// The specification of `UpstreamState`: derives the state from the whole history each time.
private struct UpstreamHistory {
    struct Event {
        enum Kind { case answered, rejected, missed }

        let subject: String
        let kind: Kind
        let at: Date

        init(_ subject: String, _ kind: Kind, _ at: Date) { (self.subject, self.kind, self.at) = (subject, kind, at) }
    }

    var events: [Event] = []

    private var isAbsent: Bool { events.last?.kind == .missed }

    func contradicts(_ state: UpstreamState, at now: Date) -> String? {
        if state.isAbsent != isAbsent { return "isAbsent is \(state.isAbsent)" }
        let isServing = !isAbsent && !Set(events.map(\.subject)).contains { fails($0, at: now) }
        if state.isServing != isServing { return "it is \(state.phase), serving: \(isServing)" }
        let budget = FetchBudget.time(of: .seconds(30), isAbsent: state.isAbsent)
        return budget == (isAbsent ? .seconds(1) : .seconds(10)) ? nil : "loads get \(budget)"
    }

    /// Whether a subject fails by itself.
    private func fails(_ subject: String, at now: Date) -> Bool {
        let begin = events.lastIndex { $0.subject == subject && $0.kind == .answered }.map { $0 + 1 } ?? 0
        var fails = false
        var last: Int?
        for index in begin..<events.count where events[index].subject == subject {
            if let previous = last, events[index].at.timeIntervalSince(events[previous].at) >= UpstreamState.memory {
                (fails, last) = (false, nil)
            }
            if let previous = last, events[previous..<index].contains(where: { $0.kind != .missed }) { fails = true }
            if events[index].kind == .rejected { fails = true }
            last = index
        }
        guard let last else { return false }
        return fails && now.timeIntervalSince(events[last].at) < UpstreamState.memory
    }
}
