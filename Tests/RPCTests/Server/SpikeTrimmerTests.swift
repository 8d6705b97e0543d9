import NIOEmbedded
import Testing

@testable import RPC

struct SpikeTrimmerTests {
    private static let spike = 32 * 1_024 * 1_024
    private let loop = EmbeddedEventLoop()

    @Test(arguments: [(spike - 1, 0), (spike, 1), (10 * spike, 1)])
    func `memory is returned once after a spike`(bytes: Int, times: Int) {
        var trims = 0
        let memory = SpikeTrimmer(loop, .system) { trims += 1 }
        memory.used(bytes)
        loop.advanceTime(by: .hours(1))
        #expect(trims == times)
    }

    @Test func `it is returned when the process has been quiet for a second`() {
        var trims = 0
        let memory = SpikeTrimmer(loop, .system) { trims += 1 }
        for _ in 1...10 {
            memory.used(Self.spike)
            loop.advanceTime(by: .milliseconds(999))
            #expect(trims == 0)
        }
        loop.advanceTime(by: .milliseconds(1))
        #expect(trims == 1)
    }

    @Test(arguments: [Freed.answers, .attachments])
    func `what is freed long after the spike is returned too`(freed: Freed) {
        var trims = 0
        let memory = SpikeTrimmer(loop, .system) { trims += 1 }
        let free = freed.hold(Self.spike, memory)
        memory.used(Self.spike)
        loop.advanceTime(by: .hours(1))
        #expect(trims == 1)
        free()
        loop.advanceTime(by: .hours(1))
        #expect(trims == 2)
    }

    /// Memory that is held for a while.
    enum Freed {
        case answers
        case attachments

        /// - Returns: frees the bytes.
        func hold(_ count: Int, _ memory: SpikeTrimmer) -> () -> Void {
            switch self {
            case .answers:
                let total = AnswerTotal(memory: memory)
                total.change(by: count, limit: .max)
                return { total.change(by: -count, limit: .max) }
            case .attachments:
                let budget = AssemblyBudget(
                    limit: .max, processLimit: .max, process: AssemblyBudget.ProcessTotal(memory: memory))
                _ = budget.take(count)
                return { budget.release(count) }
            }
        }
    }
}
