import JSON
import NIOCore

/// A histogram of call durations in buckets of powers of two of microseconds, and their sum. Its fixed size makes
/// counting cheap.
public struct LatencyHistogram: Sendable, Equatable {
    /// The bounds are 1 µs, 2 µs, 4 µs … 2^27 µs (134 s); the last bucket counts longer durations.
    private static let largestExponent = 27

    private var buckets = [Int](repeating: 0, count: largestExponent + 2)

    public private(set) var sumMicroseconds = 0

    public init() {}

    public var count: Int { buckets.reduce(0, +) }

    public mutating func add(_ time: TimeAmount) {
        let microseconds = max(0, Int(time.nanoseconds / 1_000))
        buckets[Self.bucket(of: microseconds)] += 1
        sumMicroseconds += microseconds
    }

    func adding(_ other: LatencyHistogram) -> LatencyHistogram {
        var sum = self
        sum.buckets = zip(buckets, other.buckets).map(+)
        sum.sumMicroseconds += other.sumMicroseconds
        return sum
    }

    /// The first bucket whose bound is not exceeded.
    private static func bucket(of microseconds: Int) -> Int {
        guard microseconds > 1 else { return 0 }
        return min(Int.bitWidth - (microseconds - 1).leadingZeroBitCount, largestExponent + 1)
    }

    /// Returns an upper bound, in microseconds, of this fraction of the calls; nil if there were none or it exceeds all
    /// bounds.
    public func bound(ofPart part: Double) -> Int? {
        let wanted = Double(count) * part
        return cumulated.first { Double($0.count) >= wanted && $0.count > 0 }?.bound
    }

    /// Returns how many calls took at most this time, for a bound of a bucket.
    /// - Parameter bound: in microseconds, a power of two.
    public func count(within bound: Int) -> Int { buckets[...Self.bucket(of: bound)].reduce(0, +) }

    /// A bound in microseconds, and how many calls took no longer.
    struct Bucket: Sendable, Equatable {
        let bound: Int
        let count: Int

        static let codec = Codec<Bucket>.object { object in
            let bound = object.required("le_us", .integer(0 ... .max), \.bound)
            let count = object.required("count", .integer(0 ... .max), \.count)
            return { members throws(JSONError) in Bucket(bound: try members[bound], count: try members[count]) }
        }
    }

    /// Cumulative counts by bound, from the first bucket with a call to the bucket that completes the total.
    /// Durations above all bounds are in no bucket.
    private var cumulated: [Bucket] {
        let total = count
        var sum = 0
        var cumulated: [Bucket] = []
        for exponent in 0...Self.largestExponent where sum < total {
            sum += buckets[exponent]
            if sum > 0 { cumulated.append(Bucket(bound: 1 << exponent, count: sum)) }
        }
        return cumulated
    }

    public static let codec = Codec<LatencyHistogram>.object { object in
        let count = object.required("count", .integer(0 ... .max), \.count)
        let sum = object.required("sum_us", .integer(0 ... .max), \.sumMicroseconds)
        let buckets = object.required("buckets", .array(of: Bucket.codec), \.cumulated)
        return { members throws(JSONError) in
            var histogram = LatencyHistogram()
            histogram.sumMicroseconds = try members[sum]
            var before = 0
            for bucket in try members[buckets] {
                guard bucket.count >= before else { throw .refused("the counts of buckets must not decrease") }
                // Another implementation may have other bounds; this rounds them up to ours, at most by a factor of
                // two.
                histogram.buckets[LatencyHistogram.bucket(of: bucket.bound)] += bucket.count - before
                before = bucket.count
            }
            let total = try members[count]
            guard total >= before else { throw .refused("the buckets must not count more calls than count") }
            histogram.buckets[largestExponent + 1] += total - before
            return histogram
        }
    }
}
