import NIOCore
import RPCTestKit
import Testing

@testable import RPC

struct DeadlineQueueTests {
    private static func at(_ milliseconds: Int) -> NIODeadline { .uptimeNanoseconds(UInt64(milliseconds) * 1_000_000) }

    /// The number of deadlines: as many as calls may wait in a client.
    private static let many = Limits().callsWaiting

    @Test(arguments: 1...UInt64(ModelSeeds.count(usual: 50)))
    func `deadlines pass in order, each once, except those of ended calls`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = DeadlineQueue<Int>()
        var current: [Int: Int] = [:]
        var now = 0
        for id in 0..<2_000 {
            let deadline = now + Int.random(in: 0...100, using: &random)
            current[id] = deadline
            queue.add(id, Self.at(deadline), count: current.count) { id, _ in current[id] != nil }
            if Bool.random(using: &random), let over = current.keys.randomElement(using: &random) {
                current[over] = nil
            }
            guard Int.random(in: 0..<10, using: &random) == 0 else { continue }
            now += Int.random(in: 0...50, using: &random)
            var passed: [Int] = []
            while let id = queue.popDue(now: Self.at(now), isCurrent: { id, _ in current[id] != nil }) {
                passed.append(current.removeValue(forKey: id) ?? -1)
            }
            #expect(passed == passed.sorted() && passed.allSatisfy { $0 >= 0 && $0 <= now })
            #expect(current.values.allSatisfy { $0 > now })
            let next = queue.next { id, _ in current[id] != nil }
            #expect(next == current.values.min().map(Self.at) ?? .distantFuture)
        }
    }

    @Test func `deadlines that have not passed are not examined`() {
        var queue = DeadlineQueue<Int>()
        for id in 0..<Self.many { queue.add(id, Self.at(id), count: id + 1) { _, _ in true } }
        var looks = 0
        let isCurrent = { (_: Int, _: NIODeadline) in
            looks += 1
            return true
        }
        for id in 0..<100 {
            #expect(queue.popDue(now: Self.at(id), isCurrent: isCurrent) == id)
            #expect(queue.popDue(now: Self.at(id), isCurrent: isCurrent) == nil)
            #expect(queue.next(isCurrent: isCurrent) == Self.at(id + 1))
        }
        #expect(looks == 200)
    }

    @Test func `stale entries are bounded by the number of current ones`() {
        var queue = DeadlineQueue<Int>()
        var looks = 0
        for id in 0..<100_000 {
            // Ten at a time are under way.
            queue.add(id, Self.at(30_000 + id), count: 10) { other, _ in
                looks += 1
                return other > id - 10
            }
            #expect(queue.entries <= 2 * 10 + DeadlineQueue<Int>.spare + 1)
        }
        #expect(looks <= 2 * 100_000)
    }

    @Test func `an infinite deadline is not stored`() {
        var queue = DeadlineQueue<Int>()
        queue.add(1, .distantFuture, count: 1) { _, _ in true }
        #expect(queue.entries == 0)
        #expect(queue.next { _, _ in true } == .distantFuture)
    }
}
