import Feed
import RPC
import RPCTestKit
import ServiceKit
import Testing
import Timing

@testable import feed_service

struct ChangeBroadcastTests {
    private let changes = ListedChanges()
    private let broadcast: ChangeBroadcast<FeedChange>

    init() { broadcast = ChangeBroadcast(changes) }

    private func record(_ change: FeedChange) {
        changes.record(change)
        broadcast.wake()
    }

    @Test func `all of thousands of watchers get a change`() async throws {
        let (changes, broadcast, count) = (changes, broadcast, 5_000)
        try await withThrowingTaskGroup(of: ChangeNews<FeedChange>.self) { group in
            for _ in 1...count { group.addTask { try await broadcast.next(after: changes.mark) } }
            await broadcast.wait { $0 == count }
            let change = FeedChange.published([picture(1)])
            record(change)
            for try await news in group { #expect(news == ChangeNews(.change(change), mark: changes.mark(1))) }
        }
        #expect(broadcast.waiting == 0)
    }

    @Test func `a watcher that follows the marks gets every change once, in order`() async throws {
        let broadcast = broadcast
        async let told: [Int] = {
            var (told, last) = ([Int](), ChangeMark(life: "this", number: 0))
            while told.count < 2_000 {
                let news = try await broadcast.next(after: last)
                guard case .change(.published(let images)) = news.content else { return [] }
                told += images.map(\.number)
                last = news.mark
            }
            return told
        }()
        for number in 1...2_000 {
            record(.published([picture(number)]))
            if number % 7 == 0 { await broadcast.wait { $0 == 1 } }
        }
        #expect(try await told == Array(1...2_000))
    }

    @Test func `between changes that a watcher missed, other calls on its event loop run`() async throws {
        let (executor, others) = (LoopExecutor.separate(), Watched(0))
        let broadcast = ChangeBroadcast(changes, executor: executor)
        for number in 1...3 { record(.published([picture(number)])) }
        try await withTaskExecutorPreference(executor) {
            for number in 1...3 {
                Task(executorPreference: executor) { others.withLock { $0 += 1 } }
                _ = try await broadcast.next(after: changes.mark(number - 1))
                #expect(others.withLock(\.self) == number)
            }
        }
    }

    @Test func `a cancelled watcher stops waiting and is removed`() async throws {
        let (changes, broadcast) = (changes, broadcast)
        let waiting = Task { try await broadcast.next(after: changes.mark) }
        await broadcast.wait { $0 == 1 }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(broadcast.waiting == 0)

        let late = Task {
            await waitForCancellation()
            return try await broadcast.next(after: changes.mark)
        }
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
    }
}
