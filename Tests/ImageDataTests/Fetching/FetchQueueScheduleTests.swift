import RPCTestKit
import Testing

@testable import ImageData

/// Invariants that hold for any order of events.
@Suite struct FetchQueueScheduleTests {
    @Test(arguments: UInt64(1)...200) func `no order of events leaks a slot or a waiter`(seed: UInt64) {
        var schedule = Schedule(seed: seed)
        for _ in 0..<500 { schedule.step() }
        schedule.finish()
    }
}

/// A queue, and the expected state.
private struct Schedule {
    private static let concurrency = 3
    private static let waitingLimit = 8

    private var random: SeededRandom
    private var queue = FetchQueue(concurrency: concurrency, waitingLimit: waitingLimit)
    private var now = Duration.seconds(1_000)

    /// The waiters of each URL that have not been answered.
    private var waiting: [String: Set<Int>] = [:]
    private var ids: [Int: FetchQueue.ID] = [:]
    private var lastWaiter = 0

    /// The fetches in progress, and whether they were cancelled.
    private var runs: [(run: FetchQueue.Start, isCancelled: Bool)] = []

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func step() {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: ask()
        case 4..<6: leave()
        case 6..<8: begin()
        case 8: if !runs.isEmpty { end(Int.random(in: 0..<runs.count, using: &random)) }
        default: now += .milliseconds(Int.random(in: 0...200, using: &random))
        }
        check()
    }

    /// Completes all fetches.
    mutating func finish() {
        while queue.running + queue.waiting > 0 {
            begin()
            if runs.isEmpty { now += HostBackoff.pause } else { end(0) }
            check()
        }
        #expect(waiting.values.allSatisfy { $0.isEmpty })
        #expect(runs.isEmpty)
        #expect(queue.next(now: now) == nil)
    }

    private mutating func ask() {
        lastWaiter += 1
        let url = "\(Int.random(in: 0..<20, using: &random))"
        ids[lastWaiter] = queue.ask(
            url, host: host(of: url), by: lastWaiter, Bool.random(using: &random) ? .visible : .prefetch)
        if ids[lastWaiter] != nil { waiting[url, default: []].insert(lastWaiter) }
    }

    private mutating func leave() {
        let everybody = waiting.flatMap { url, waiters in waiters.map { (url, $0) } }.sorted { $0.1 < $1.1 }
        guard let (url, waiter) = everybody.randomElement(using: &random) else { return }
        waiting[url]?.remove(waiter)
        let mustCancel = queue.leave(ids[waiter] ?? 0, waiter, Bool.random(using: &random) ? .cancel : .goesOn)
        guard mustCancel else { return }
        #expect(waiting[url]?.isEmpty == true)
        let index = runs.firstIndex { $0.run.url == url && !$0.isCancelled }
        #expect(index.map { runs[$0].run.id } == ids[waiter])
        if let index { runs[index].isCancelled = true }
    }

    private mutating func begin() {
        guard let run = queue.next(now: now) else { return }
        #expect(waiting[run.url]?.min() == run.first)
        #expect(!runs.contains { $0.run.url == run.url && !$0.isCancelled }, "it runs already")
        runs.append((run, false))
    }

    private mutating func end(_ index: Int) {
        let (run, isCancelled) = runs.remove(at: index)
        let hostFailed = isCancelled ? nil : Int.random(in: 0..<3, using: &random) == 0
        let told = queue.ended(run.id, hostFailed: hostFailed, now: now)
        #expect(told == (isCancelled ? [] : waiting[run.url] ?? []))
        if !isCancelled { waiting[run.url] = nil }
    }

    private func check() {
        #expect(queue.running == runs.count)
        #expect(queue.running <= Self.concurrency)
        #expect(queue.waiting <= 2 * Self.waitingLimit)
        let wanted = waiting.filter { url, waiters in
            !waiters.isEmpty && !runs.contains { $0.run.url == url && !$0.isCancelled }
        }
        #expect(queue.waiting == wanted.count)
    }

    /// There are few hosts, so that some of them are always in backoff.
    private func host(of url: String) -> String { "\((Int(url) ?? 0) % 3)" }
}
