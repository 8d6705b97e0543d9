import Foundation
import RPCTestKit
import Testing
import Timing

@testable import EdgeKit

struct RemovalsTests {
    private func event(_ numbers: [Int]) -> ServerSentEvents.Event {
        let ids = numbers.map { "\"\(UUID(number: $0))\"" }.joined(separator: ",")
        return ServerSentEvents.Event(name: "removed", data: Data("{\"ids\":[\(ids)]}".utf8))
    }

    /// - Parameter last: a number that only the last removal has.
    private func handedOver(_ removals: Removals, until last: Int) async -> [Removals.Removal] {
        let all = Watched<[Removals.Removal]>([])
        await withTaskGroup { group in
            group.addTask { await removals.run { removal in all.withLock { $0.append(removal) } } }
            group.addTask { await all.wait { $0.last?.ids.last?.number == last } }
            await group.next()
            group.cancelAll()
        }
        return all.withLock { $0 }
    }

    @Test func `removals are handed over in order, with their times`() async {
        let removals = Removals()
        for number in 1...3 {
            removals.note(event([number, 10 * number]), at: Date(timeIntervalSince1970: Double(number)))
        }
        let handedOver = await handedOver(removals, until: 30)
        #expect(handedOver.map { $0.ids.map(\.number) } == [[1, 10], [2, 20], [3, 30]])
        #expect(handedOver.map(\.time.timeIntervalSince1970) == [1, 2, 3])
    }

    @Test(
        arguments: [
            ServerSentEvents.Event(name: "published", data: Data(#"{"ids":[]}"#.utf8)),
            ServerSentEvents.Event(name: "removed"), ServerSentEvents.Event(name: "removed", data: Data("{}".utf8)),
            ServerSentEvents.Event(name: "removed", data: Data(#"{"ids":[1]}"#.utf8)),
        ])
    func `other events, and those that cannot be read, are none`(other: ServerSentEvents.Event) async {
        let removals = Removals()
        removals.note(other, at: Date())
        removals.note(event([1]), at: Date())
        #expect(await handedOver(removals, until: 1).count == 1)
    }

    @Test func `a removal has at most so many ids`() async {
        let removals = Removals()
        removals.note(event(Array(1...Removals.mostIDs + 1)), at: Date())
        removals.note(event(Array(1...Removals.mostIDs)), at: Date())
        #expect(await handedOver(removals, until: Removals.mostIDs).map(\.ids.count) == [Removals.mostIDs])
    }

    @Test func `so many removals wait at most`() async {
        let removals = Removals()
        for number in 1...Removals.most + 1 { removals.note(event([number]), at: Date()) }
        #expect(await handedOver(removals, until: Removals.most).count == Removals.most)
    }
}
