import RPCTestKit
import Testing

@testable import RPC

@Suite struct IncomingNumbersTests {
    private func use(_ wanted: [UInt32]) -> [Bool] {
        var numbers = IncomingNumbers()
        return wanted.map { numbers.use($0) }
    }

    @Test func `each number is used once, in any order`() {
        var random = SeededRandom(seed: 1)
        let all = (1...UInt32(900)).shuffled(using: &random)
        #expect(use(all + all + [0]) == all.map { _ in true } + all.map { _ in false } + [false])
    }

    @Test(arguments: [1, 2, 63, 64, 65, 127, 128, 1_023] as [UInt32])
    func `a number that was skipped may still be used, once`(distance: UInt32) {
        let highest: UInt32 = 5_000
        let numbers = [highest - 1_023, highest, highest - distance, highest - distance]
        #expect(use(numbers) == [true, true, distance != 1_023, false])
    }

    @Test(arguments: [1_024, 1_025, 4_000_000_000] as [UInt32])
    func `a number that is too far behind counts as used`(distance: UInt32) {
        #expect(use([1, distance + 2, 2, distance + 1]) == [true, true, false, true])
    }
}
