import Foundation
import NIOCore
import RPC
import ServiceKit
import Timing

/// An answer whose bytes several requests share.
protocol SharedAnswer: Sendable {
    /// The size that counts against the limit of `RecentAnswers`, in bytes; nil for an answer that is not cached.
    var heldBytes: Int? { get }

    /// The answer as it is cached: for later requests it comes from a cache, not from a fetch.
    var kept: Self { get }
}

/// A short-lived cache of answers. Concurrent requests for an answer share one load and one copy of its bytes.
///
/// Clients need not know about this cache: an entry lives for a second by default, and a change through the gateway
/// removes all entries.
final class RecentAnswers<ID: Hashable & Sendable, Answer: SharedAnswer>: Sendable {
    private struct Cached {
        let answer: Answer
        let end: NIODeadline

        /// Whether a renewal is in progress, so that frequent requests never wait for one.
        var isRenewed = false
    }

    /// A change increments the epoch, so that later requests do not share earlier loads.
    private struct Key: Hashable {
        let id: ID
        let epoch: Int
    }

    /// Two generations; the older one is evicted as a whole. That limits their size and age in constant time.
    private struct Generations {
        var newer: [ID: Cached] = [:]
        var older: [ID: Cached] = [:]
        var newerBytes = 0
        var newerEnd = NIODeadline.distantPast
        var epoch = 0

        var isEmpty: Bool { newer.isEmpty && older.isEmpty }

        subscript(id: ID) -> Cached? { newer[id] ?? older[id] }

        /// - Returns: false when the answer is not cached or a renewal is already in progress.
        mutating func beginRenewal(of id: ID) -> Bool {
            guard let kept = self[id], !kept.isRenewed else { return false }
            if newer[id] != nil { newer[id]?.isRenewed = true } else { older[id]?.isRenewed = true }
            return true
        }

        mutating func retire(until end: NIODeadline) {
            (older, newer, newerBytes, newerEnd) = (newer, [:], 0, end)
        }
    }

    /// The lifetime of an answer, and the maximum size of all in bytes; a single one may have half of it.
    private let time: TimeAmount
    private let bytes: Int
    private let clock: any MonotonicClock
    private let generations = Watched(Generations())
    private let flights: SingleFlight<Key, Answer>
    private let (renewals, renewal) = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)
    private let (fillings, filling) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// - Parameter joinTime: the maximum age of a load that later requests may join.
    init(time: TimeAmount, bytes: Int, joinTime: TimeAmount, clock: any MonotonicClock) {
        self.time = time
        self.bytes = bytes
        flights = SingleFlight(joinTime: .nanoseconds(joinTime.nanoseconds), clock: clock)
        self.clock = clock
    }

    /// Runs loads and renewals, and evicts expired answers, until the task is cancelled.
    func run() async {
        async let evicting: Void = evictExpired()
        async let renewing: Void = renew()
        await flights.run()
        await renewing
        await evicting
    }

    /// - Parameter load: loads the answer. It is called unless the answer is cached or being loaded.
    func value(
        of id: ID, _ load: @escaping @Sendable () async throws(RPCError) -> Answer
    ) async throws(RPCError) -> Answer {
        let (kept, epoch) = generations.withLock { ($0[id], $0.epoch) }
        let now = clock.now
        // A load runs in a task of its own.
        let times = CallTimes.current
        let bring = { @Sendable () async throws -> Answer in
            let answer = try await CallTimes.$current.withValue(times) { try await load() }
            self.keep(answer, of: id, since: epoch, until: now + self.time)
            return answer
        }
        if let kept, now < kept.end {
            if kept.end - now <= renewalTime, generations.withLock({ $0.beginRenewal(of: id) }) {
                renewal.yield { await self.renew(Key(id: id, epoch: epoch), bring) }
            }
            return kept.answer
        }
        do {
            return try await flights.value(of: Key(id: id, epoch: epoch), bring)
        } catch let error as RPCError {
            throw error
        } catch {
            throw RPCError(.cancelled, "no caller waits for this answer")
        }
    }

    /// How long before its expiry a requested answer is renewed.
    private var renewalTime: TimeAmount { .nanoseconds(time.nanoseconds / 4) }

    /// The number of cached answers.
    var count: Int { generations.withLock { $0.newer.count + $0.older.count } }

    /// Returns once the cache is empty.
    func waitUntilEmpty() async { await generations.wait(until: \.isEmpty) }

    /// Returns once the number of callers that wait for an answer fulfils the condition.
    func wait(for id: ID, until isSo: @escaping @Sendable (_ callers: Int) -> Bool) async {
        await flights.wait(for: Key(id: id, epoch: generations.withLock { $0.epoch }), until: isSo)
    }

    /// Removes all answers, after a change.
    func forget() {
        generations.withLock { generations in
            generations = Generations(epoch: generations.epoch + 1)
        }
    }

    /// - Parameter end: the expiry, counted from the start of the load.
    private func keep(_ answer: Answer, of id: ID, since epoch: Int, until end: NIODeadline) {
        guard let size = answer.heldBytes else { return }
        let now = clock.now
        let wasEmpty = generations.withLock { generations in
            guard generations.epoch == epoch, now < end, size <= bytes / 2 else { return false }
            let wasEmpty = generations.isEmpty
            let before = generations.newer.removeValue(forKey: id)?.answer.heldBytes ?? 0
            generations.newerBytes -= before
            if generations.newerEnd <= now || generations.newerBytes + size > bytes / 2 {
                generations.retire(until: now + time)
            }
            generations.newer[id] = Cached(answer: answer.kept, end: end)
            generations.newerBytes += size
            return wasEmpty
        }
        if wasEmpty { filling.yield() }
    }

    /// Runs the renewals of frequently requested answers.
    private func renew() async {
        await withDiscardingTaskGroup { group in
            for await renewal in renewals { group.addTask { await renewal() } }
            group.cancelAll()
        }
    }

    /// Renews an answer, for at most its lifetime. A failed renewal is ignored: the next request after the expiry loads
    /// again and reports the failure.
    private func renew(_ key: Key, _ bring: @escaping @Sendable () async throws -> Answer) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await self.flights.value(of: key, bring) }
            group.addTask { try? await self.clock.sleep(until: self.clock.now + self.time) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Evicts expired answers periodically; sleeps while the cache is empty.
    private func evictExpired() async {
        for await _ in fillings {
            var isEmpty = false
            while !isEmpty, !Task.isCancelled {
                // `sleep` throws only on cancellation, and the loop condition handles that.
                try? await clock.sleep(until: clock.now + time)
                isEmpty = evictOld()
            }
        }
    }

    /// Evicts the older generation, and retires the newer one when its time has ended.
    /// - Returns: whether the cache is empty.
    func evictOld() -> Bool {
        let now = clock.now
        return generations.withLock { generations in
            if generations.newerEnd <= now { generations.retire(until: now + time) }
            return generations.isEmpty
        }
    }
}
