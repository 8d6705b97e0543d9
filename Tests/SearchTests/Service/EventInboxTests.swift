import RPCTestKit
import Testing

@testable import search_service

/// The events between the watchers and the index.
struct EventInboxTests {
    private let clock = ManualClock()

    private func event(_ number: Int) -> IndexEvent { IndexEvent(seq: "\(number)", change: .commentsReset) }

    private func fullInbox() async -> EventInbox {
        let inbox = EventInbox(clock)
        for number in 1...EventInbox.capacity { await inbox.put(event(number)) }
        return inbox
    }

    @Test("a full inbox lets watchers wait until its events are taken")
    func capacity() async {
        let inbox = await fullInbox()
        let waiting = Task.immediate { await inbox.put(event(EventInbox.capacity + 1)) }
        #expect(inbox.take().count == EventInbox.capacity)
        await waiting.value
        #expect(inbox.take().map(\.seq) == ["\(EventInbox.capacity + 1)"])
    }

    @Test("an event ends the waiting of the index, and so do its time and cancelling")
    func waiting() async {
        let inbox = EventInbox(clock)
        let first = Task.immediate { await inbox.wait(for: .seconds(60)) }
        await inbox.put(event(1))
        await first.value
        _ = inbox.take()
        async let second: Void = inbox.wait(for: .seconds(60))
        await clock.advance(by: .seconds(60), once: 1)
        await second
        let third = Task.immediate { await inbox.wait(for: .seconds(60)) }
        third.cancel()
        await third.value
    }

    @Test("a cancelled watcher does not wait")
    func cancelled() async {
        let inbox = await fullInbox()
        let waiting = Task.immediate { await inbox.put(event(0)) }
        waiting.cancel()
        await waiting.value
        #expect(inbox.take().count == EventInbox.capacity)
    }
}
