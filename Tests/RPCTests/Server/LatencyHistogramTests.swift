import JSON
import NIOCore
import Testing

@testable import RPC

@Suite struct LatencyHistogramTests {
    private static func histogram(_ microseconds: [Int64]) -> LatencyHistogram {
        var histogram = LatencyHistogram()
        for time in microseconds { histogram.add(.microseconds(time)) }
        return histogram
    }

    @Test(arguments: [1, 2, 10, 27]) func `a bucket counts durations up to its bound, inclusively`(exponent: Int) {
        let bound = Int64(1) << exponent
        for time in [bound - 1, bound] {
            #expect(Self.histogram([time]).bound(ofPart: 1) == Int(time == 0 || time == 1 ? 1 : bound))
        }
        let after = Self.histogram([bound + 1]).bound(ofPart: 1)
        #expect(after == (exponent == 27 ? nil : Int(2 * bound)))
    }

    @Test func `a zero duration is at most a microsecond, and a negative one counts as zero`() {
        #expect(Self.histogram([0]).bound(ofPart: 1) == 1)
        #expect(Self.histogram([-5]).bound(ofPart: 1) == 1)
        #expect(Self.histogram([-5]).sumMicroseconds == 0)
    }

    @Test func `a quantile is reported as an upper bound`() {
        let histogram = Self.histogram(Array(repeating: 100, count: 98) + [1_000, 5_000])
        #expect(histogram.bound(ofPart: 0.5) == 128)
        #expect(histogram.bound(ofPart: 0.98) == 128)
        #expect(histogram.bound(ofPart: 0.99) == 1_024)
        #expect(histogram.bound(ofPart: 1) == 8_192)
        #expect(LatencyHistogram().bound(ofPart: 0.5) == nil)
    }

    @Test func `only the buckets that carry information are written`() throws {
        let codec = LatencyHistogram.codec
        #expect(RawJSON(LatencyHistogram(), as: codec).description == #"{"count":0,"sum_us":0,"buckets":[]}"#)
        let histogram = Self.histogram([3, 4, 9, Int64(1) << 40])
        let buckets = (2...27).map { #"{"le_us":\#(1 << $0),"count":\#($0 == 2 || $0 == 3 ? 2 : 3)}"# }
        #expect(
            RawJSON(histogram, as: codec).description
                == #"{"count":4,"sum_us":\#(16 + (1 << 40)),"buckets":[\#(buckets.joined(separator: ","))]}"#)
        #expect(try RawJSON(histogram, as: codec).read(as: codec) == histogram)
    }

    @Test(
        arguments: [
            #"{"count":1,"sum_us":1,"buckets":[{"le_us":1,"count":2}]}"#,
            #"{"count":3,"sum_us":1,"buckets":[{"le_us":1,"count":2},{"le_us":2,"count":1}]}"#,
            #"{"count":-1,"sum_us":1,"buckets":[]}"#,
        ])
    func `counts that contradict one another are refused`(text: String) throws {
        #expect(throws: JSONError.self) { try RawJSON(checking: text).read(as: LatencyHistogram.codec) }
    }
}
