import RPCTestKit
import ServiceKit
import Testing
import Timing

struct TaskSemaphoreTests {
    private let gate: AsyncStream<Void>
    private let opening: AsyncStream<Void>.Continuation
    private let order = Watched<[Int]>([])

    init() { (gate, opening) = AsyncStream.makeStream() }

    /// Starts a task that holds its permit until the gate opens.
    private func hold(_ semaphore: TaskSemaphore, as number: Int = 0) -> Task<Void, any Error> {
        Task {
            try await semaphore.withPermit {
                order.withLock { $0.append(number) }
                for await _ in gate {}
            }
        }
    }

    @Test(arguments: 1...3) func `as many tasks run as there are permits, and one more waits`(permits: Int) async throws
    {
        let semaphore = TaskSemaphore(permits: permits)
        let tasks = (0...permits).map { hold(semaphore, as: $0) }
        await semaphore.wait { $0 == TaskSemaphore.Load(running: permits, waiting: 1) }
        await order.wait { $0.count == permits }
        opening.finish()
        for task in tasks { try await task.value }
        #expect(order.withLock(\.count) == permits + 1 && semaphore.load == .none)
    }

    @Test func `waiting tasks run in order`() async throws {
        let semaphore = TaskSemaphore(permits: 1)
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<10 {
            tasks.append(hold(semaphore, as: number))
            await semaphore.wait { $0 == TaskSemaphore.Load(running: 1, waiting: number) }
        }
        opening.finish()
        for task in tasks { try await task.value }
        #expect(order.withLock(\.self) == Array(0..<10))
    }

    @Test func `the number of waiting tasks is limited`() async throws {
        let semaphore = TaskSemaphore(permits: 1, waitingLimit: 2)
        let tasks = (0..<3).map { _ in hold(semaphore) }
        await semaphore.wait { $0 == TaskSemaphore.Load(running: 1, waiting: 2) }
        await #expect(throws: TaskSemaphore.Full.self) { try await semaphore.withPermit {} }
        opening.finish()
        for task in tasks { try await task.value }
        try await semaphore.withPermit {}
    }

    @Test func `a task that is cancelled while it waits stops waiting`() async throws {
        let semaphore = TaskSemaphore(permits: 1)
        let first = hold(semaphore)
        await semaphore.wait { $0.running == 1 }
        let (cancelled, last) = (hold(semaphore, as: 1), hold(semaphore, as: 2))
        await semaphore.wait { $0.waiting == 2 }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(semaphore.load == TaskSemaphore.Load(running: 1, waiting: 1))
        opening.finish()
        for task in [first, last] { try await task.value }
        #expect(order.withLock(\.self) == [0, 2] && semaphore.load == .none)
    }

    @Test func `a task that is cancelled in advance gets no permit`() async {
        let semaphore = TaskSemaphore(permits: 1)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await semaphore.withPermit { order.withLock { $0.append(1) } }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(order.withLock(\.isEmpty) && semaphore.load == .none)
    }

    @Test func `an error returns the permit`() async throws {
        let semaphore = TaskSemaphore(permits: 1)
        await #expect(throws: TestError.self) {
            try await semaphore.withPermit { () throws -> Void in throw TestError() }
        }
        #expect(try await semaphore.withPermit { 42 } == 42)
    }

    @Test(arguments: UInt64(1)...20) func `cancelling at any moment leaks no permit`(seed: UInt64) async {
        var random = SeededRandom(seed: seed)
        let semaphore = TaskSemaphore(permits: 2)
        let tasks = (0..<100).map { _ in Task { try await semaphore.withPermit { await Task.yield() } } }
        for task in tasks where Bool.random(using: &random) { task.cancel() }
        for task in tasks { _ = await task.result }
        #expect(semaphore.load == .none)
    }

    private struct TestError: Error {}
}
