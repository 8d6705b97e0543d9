import NIOCore
import RPC
import Testing

@testable import gateway

@Suite struct AnswerBudgetTests {
    private static let size = 1_048_576

    /// A body with its own storage, which it fills.
    private func body(_ size: Int = size) -> ByteBuffer { ByteBuffer(repeating: 7, count: size) }

    @Test func `exactly the limit is admitted`() throws {
        let budget = AnswerBudget(limit: 2 * Self.size)
        let bodies = try (1...2).map { _ in try #require(budget.admit(body(), tag: nil)) }
        #expect(budget.heldBytes == 2 * Self.size)
        #expect(throws: RPCError.self) { try budget.reserve(1) }
        #expect(budget.admit(body(), tag: nil) == nil)
        budget.release(bodies[0])
        try budget.reserve(Self.size)
        #expect(throws: RPCError.self) { try budget.reserve(1) }
        budget.release(Self.size)
        budget.release(bodies[1])
        #expect(budget.heldBytes == 0)
    }

    @Test func `a shared body counts once, until its last answer is sent`() throws {
        let (budget, shared) = (AnswerBudget(limit: Self.size), body())
        for _ in 1...1_024 { _ = try #require(budget.admit(shared, tag: nil)) }
        #expect(budget.heldBytes == Self.size)
        // The rest of an answer that was sent partially.
        let slice = try #require(shared.getSlice(at: 100, length: 70_000))
        budget.add(slice)
        for _ in 1...1_024 { budget.release(shared) }
        #expect(budget.heldBytes == Self.size)
        budget.release(slice)
        #expect(budget.heldBytes == 0)
    }

    @Test func `equal representations share storage`() throws {
        let budget = AnswerBudget(limit: Self.size)
        let first = try #require(budget.admit(body(), tag: "a"))
        let second = try #require(budget.admit(body(), tag: "a"))
        #expect(second == first && budget.heldBytes == Self.size)
        #expect(budget.admit(body(), tag: "b") == nil)
        budget.release(first)
        _ = try #require(budget.admit(body(), tag: "a"))
        budget.release(first)
        budget.release(second)
        #expect(budget.heldBytes == 0)
        // A released storage no longer counts.
        let third = try #require(budget.admit(body(), tag: "b"))
        #expect(budget.heldBytes == Self.size)
        budget.release(third)
    }

    @Test func `a small answer is always admitted`() {
        let budget = AnswerBudget(limit: 0)
        #expect(budget.admit(body(AnswerBudget.smallAnswer), tag: nil) != nil)
        #expect(budget.admit(body(AnswerBudget.smallAnswer + 1), tag: nil) == nil)
    }
}
