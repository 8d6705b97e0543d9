import NIOCore
import Testing

@testable import image_data_service

@Suite struct RecentRefusalsTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    @Test(arguments: [(-1, true), (0, false), (1, false)]) func `a failure is remembered for ten minutes`(
        seconds: Int, isRefused: Bool
    ) {
        var refusals = RecentRefusals<String>()
        refusals.insert("a", at: start)
        let found = (
            refusals.contains("a", at: start + .seconds(Int64(600 + seconds))), refusals.contains("b", at: start)
        )
        #expect(found == (isRefused, false))
    }

    @Test(arguments: [(0, true), (1, false)]) func `the number of remembered failures is limited`(
        past: Int, isRefused: Bool
    ) {
        var refusals = RecentRefusals<Int>()
        for number in 0..<4_096 + past { refusals.insert(number, at: start) }
        let found = (refusals.contains(0, at: start), refusals.contains(4_096 + past - 1, at: start))
        #expect(found == (isRefused, true))
    }
}
