import EdgeKit
import NIOCore
import RPCTestKit
import Testing

struct CurrentAnswersTests {
    private let clock = ManualClock()
    private let answers: CurrentAnswers<Int>

    init() { answers = CurrentAnswers(clock: clock) }

    private func tell(_ state: UpstreamEvents.State) { answers.note(state) { _ in } }

    private func answer(_ key: Int) throws { answers.answered(key, try #require(answers.ask(key))) }

    @Test func `an answer is current only while the events are followed`() throws {
        #expect(answers.ask(1) == nil)
        tell(.complete)
        #expect(!answers.contains(1))
        try answer(1)
        #expect(answers.contains(1) && !answers.contains(2))
        #expect(answers.measures.gauges == ["upstream_events_followed": 1])
        tell(.lost)
        #expect(answers.measures.gauges == ["upstream_events_followed": 0])
        #expect(!answers.contains(1) && answers.ask(2) == nil)
        tell(.complete)
        #expect(answers.contains(1))
    }

    @Test func `an answer that has changed is asked for again`() throws {
        tell(.complete)
        for key in 1...4 { try answer(key) }
        answers.remove(1)
        answers.removeAll { $0 == 2 }
        #expect((1...4).filter(answers.contains) == [3, 4])
        tell(.restarted)
        #expect((1...4).filter(answers.contains) == [])
        try answer(1)
        #expect(answers.contains(1))
    }

    @Test func `an answer that changes while it is fetched is not current`() throws {
        tell(.complete)
        let ask = try #require(answers.ask(1))
        answers.remove(1)
        answers.answered(1, ask)
        #expect(!answers.contains(1))
        // The earlier of two requests.
        let first = try #require(answers.ask(1))
        let second = try #require(answers.ask(1))
        answers.answered(1, first)
        #expect(!answers.contains(1))
        answers.answered(1, second)
        #expect(answers.contains(1))
    }

    @Test func `an answer is asked for again after ten minutes`() async throws {
        tell(.complete)
        try answer(1)
        await clock.advance(by: .minutes(10) - .nanoseconds(1))
        #expect(answers.contains(1))
        await clock.advance(by: .nanoseconds(1))
        #expect(!answers.contains(1))
    }

    @Test func `the number of answers is limited, and the oldest are evicted`() throws {
        tell(.complete)
        let half = CurrentAnswers<Int>.maximumCount / 2
        for key in 0..<2 * half { try answer(key) }
        #expect((0..<2 * half).allSatisfy(answers.contains))
        try answer(2 * half)
        #expect((0..<half).allSatisfy { !answers.contains($0) })
        #expect((half...2 * half).allSatisfy(answers.contains))
    }
}
