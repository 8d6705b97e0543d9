import Foundation
import NIOCore
import RPC
import ServiceKit
import Synchronization

/// What answers share: bytes that are held once, however many answers have them.
protocol SharedAnswer: Sendable {
    /// What counts against the limit of `RecentAnswers`; nil when it is not worth holding.
    var heldBytes: Int? { get }

    /// The same answer for later requests, which fetch nothing.
    var kept: Self { get }
}

/// Answers that were asked for a moment ago. What many ask for is made once, and its bytes are held once, however many
/// connections have them.
///
/// This is no cache that anybody has to know of: for so short a time only, and not beyond a change that passes through the
/// gateway, an answer is what the services would say.
final class RecentAnswers<ID: Hashable & Sendable, Answer: SharedAnswer>: Sendable {
    private struct Kept {
        let answer: Answer
        let end: NIODeadline

        /// Whether the next is being brought, so that those who ask all the time never wait for it.
        var isRenewed = false
    }

    /// What a change makes another.
    private struct Key: Hashable {
        let id: ID
        let epoch: Int
    }

    /// Two generations, of which the older goes as a whole: that bounds both how much there is and how long, and costs the
    /// same however many there are.
    private struct Generations {
        var newer: [ID: Kept] = [:]
        var older: [ID: Kept] = [:]
        var newerBytes = 0
        var newerEnd = NIODeadline.distantPast
        var epoch = 0

        var isEmpty: Bool { newer.isEmpty && older.isEmpty }

        subscript(id: ID) -> Kept? { newer[id] ?? older[id] }

        /// - Returns: false when somebody has begun already.
        mutating func beginRenewal(of id: ID) -> Bool {
            guard let kept = self[id], !kept.isRenewed else { return false }
            if newer[id] != nil { newer[id]?.isRenewed = true } else { older[id]?.isRenewed = true }
            return true
        }

        mutating func retire(until end: NIODeadline) {
            (older, newer, newerBytes, newerEnd) = (newer, [:], 0, end)
        }
    }

    /// How long an answer is held, and the most bytes of all; one may have half of them.
    private let time: Duration
    private let bytes: Int
    private let now: @Sendable () -> NIODeadline
    private let generations = Mutex(Generations())
    private let flights: SingleFlight<Key, Answer>
    private let (renewals, renewal) = AsyncStream.makeStream(of: (@Sendable () async -> Void).self)
    private let (fillings, filling) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// - Parameter joinTime: how old the making of an answer may be for another to wait for it.
    init(time: TimeAmount, bytes: Int, joinTime: TimeAmount, now: @escaping @Sendable () -> NIODeadline) {
        self.time = .nanoseconds(time.nanoseconds)
        self.bytes = bytes
        flights = SingleFlight(joinTime: .nanoseconds(joinTime.nanoseconds))
        self.now = now
    }

    /// Brings what is asked for, and lets go of what nobody asks for any more, until the task is cancelled.
    func run() async {
        async let letting: Void = letGo()
        async let renewing: Void = renew()
        await flights.run()
        await renewing
        await letting
    }

    /// - Parameter load: brings the answer, when it was not asked for a moment ago and nobody else is bringing it.
    func value(
        of id: ID, _ load: @escaping @Sendable () async throws(RPCError) -> Answer
    ) async throws(RPCError) -> Answer {
        let (kept, epoch) = generations.withLock { ($0[id], $0.epoch) }
        let now = now()
        let bring = { @Sendable () async throws -> Answer in
            let answer = try await load()
            self.keep(answer, of: id, since: epoch, until: now + self.timeAmount)
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
            throw RPCError(.cancelled, "nobody waits for it any more")
        }
    }

    /// How long before its end an answer that is asked for is brought anew.
    private var renewalTime: TimeAmount { .nanoseconds(timeAmount.nanoseconds / 4) }

    private var timeAmount: TimeAmount { TimeAmount(time) }

    /// How many answers are held.
    var count: Int { generations.withLock { $0.newer.count + $0.older.count } }

    /// How many wait for an answer.
    func waiting(for id: ID) -> Int {
        flights.waiting(for: Key(id: id, epoch: generations.withLock { $0.epoch }))
    }

    /// Something may have changed: what was asked for before is asked for again.
    func forget() {
        generations.withLock { generations in
            generations = Generations(epoch: generations.epoch + 1)
        }
    }

    /// - Parameter end: a moment after it was asked for, however long it took to come.
    private func keep(_ answer: Answer, of id: ID, since epoch: Int, until end: NIODeadline) {
        guard let size = answer.heldBytes else { return }
        let now = now()
        let wasEmpty = generations.withLock { generations in
            guard generations.epoch == epoch, now < end, size <= bytes / 2 else { return false }
            let wasEmpty = generations.isEmpty
            let before = generations.newer.removeValue(forKey: id)?.answer.heldBytes ?? 0
            generations.newerBytes -= before
            if generations.newerEnd <= now || generations.newerBytes + size > bytes / 2 {
                generations.retire(until: now + timeAmount)
            }
            generations.newer[id] = Kept(answer: answer.kept, end: end)
            generations.newerBytes += size
            return wasEmpty
        }
        if wasEmpty { filling.yield() }
    }

    /// Brings what those will want who ask all the time.
    private func renew() async {
        await withDiscardingTaskGroup { group in
            for await renewal in renewals { group.addTask { await renewal() } }
            group.cancelAll()
        }
    }

    /// For as long as it may be of use. One that fails is asked for again by whoever comes after the end, and it is his
    /// failure.
    private func renew(_ key: Key, _ bring: @escaping @Sendable () async throws -> Answer) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await self.flights.value(of: key, bring) }
            group.addTask { try? await Task.sleep(for: self.time) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Nothing wakes up while nothing is held.
    private func letGo() async {
        for await _ in fillings {
            var isEmpty = false
            while !isEmpty, !Task.isCancelled {
                // Cancelled while it waits: the loop's condition sees it.
                try? await Task.sleep(for: time)
                isEmpty = letGoOfOld()
            }
        }
    }

    /// What stays has its time still: it goes with the next generation.
    /// - Returns: whether nothing is held.
    func letGoOfOld() -> Bool {
        let now = now()
        return generations.withLock { generations in
            if generations.newerEnd <= now { generations.retire(until: now + timeAmount) }
            return generations.isEmpty
        }
    }
}
