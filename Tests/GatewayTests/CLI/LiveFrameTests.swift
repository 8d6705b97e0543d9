import JSON
import RPC
import Testing

@testable import gateway

@Suite struct LiveFrameTests {
    @Test func `a frame is drawn over the last one`() {
        #expect(LiveFrame.drawing("a\nb", isFirst: true, rows: 24) == "\u{1B}[2J\u{1B}[Ha\u{1B}[K\nb\u{1B}[K\n\u{1B}[J")
        #expect(LiveFrame.drawing("a", isFirst: false, rows: 24) == "\u{1B}[Ha\u{1B}[K\n\u{1B}[J")
    }

    @Test(arguments: [(3, 2), (2, 1), (1, 1), (4, 3)]) func `a frame never scrolls the screen`(rows: Int, lines: Int) {
        #expect(LiveFrame.drawing("a\nb\nc", isFirst: false, rows: rows).count { $0 == "\n" } == lines)
    }

    @Test func `a rate is the difference of calls per second, also after a restart`() throws {
        let (before, after) = (try statistics(["a": 10, "b": 50]), try statistics(["a": 15, "b": 20, "c": 1_000]))
        let rates = CallRates(from: before, to: after, in: .seconds(2))
        #expect(rates.perSecond == ["a": 2.5, "b": 10, "c": 500])
        #expect([rates.text(of: "a"), rates.text(of: "c"), rates.text(of: "d")] == ["2.5", "500", ""])
    }

    private func statistics(_ calls: [String: Int]) throws -> Statistics {
        let methods = calls.map { name, count in
            #""\#(name)":{"calls":\#(count),"under_way":0,"errors":{},"latency":{"count":0,"sum_us":0,"buckets":[]}}"#
        }
        let process = #""process":{"connections":1,"handlers":1,"queued_bytes":0,"uptime_s":1}"#
        return try RawJSON(checking: "{\"methods\":{\(methods.joined(separator: ","))},\(process)}")
            .read(as: Statistics.codec)
    }
}
