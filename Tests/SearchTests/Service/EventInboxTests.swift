import Testing

@testable import search_service

/// The events between the watchers and the index.
@Suite struct EventInboxTests {
    private func event(_ number: Int) -> IndexEvent { IndexEvent(seq: "\(number)", change: .commentsReset) }

    @Test("a full inbox lets watchers wait until its events are taken", .timeLimit(.minutes(1)))
    func capacity() async {
        let inbox = EventInbox()
        for number in 1...EventInbox.capacity { await inbox.put(event(number)) }
        async let waiting: Void = inbox.put(event(EventInbox.capacity + 1))
        // The watcher gets the chance to put its event.
        for _ in 0..<1_000 { await Task.yield() }
        #expect(inbox.take().count == EventInbox.capacity)
        await waiting
        #expect(inbox.take().map(\.seq) == ["\(EventInbox.capacity + 1)"])
    }

    @Test("an event ends the waiting of the index, and so does cancelling", .timeLimit(.minutes(1)))
    func waiting() async {
        let inbox = EventInbox()
        async let waiting: Void = inbox.wait(for: .seconds(3_600))
        await inbox.put(event(1))
        await waiting
        _ = inbox.take()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await inbox.wait(for: .seconds(3_600)) }
            group.cancelAll()
        }
    }

    @Test("a cancelled watcher does not wait", .timeLimit(.minutes(1)))
    func cancelled() async {
        let inbox = EventInbox()
        for number in 1...EventInbox.capacity { await inbox.put(event(number)) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await inbox.put(event(0)) }
            group.cancelAll()
        }
        #expect(inbox.take().count == EventInbox.capacity)
    }
}
