import NIOCore
import RPC
import Testing

@testable import gateway

/// The formats of Prometheus.
@Suite struct MetricsWriterTests {
    @Test func `a histogram has each bound, in seconds, and counts up to it`() {
        var histogram = LatencyHistogram()
        for time in [64, 65, 1_048_576, 20_000_000] { histogram.add(.microseconds(Int64(time))) }
        var writer = MetricsWriter(.text)
        writer.histogram("x_seconds", "Help.", [([("a", "b")], histogram)])
        #expect(
            writer.document == """
                # TYPE x_seconds histogram
                # HELP x_seconds Help.
                x_seconds_bucket{a="b",le="6.4e-05"} 1
                x_seconds_bucket{a="b",le="0.000256"} 2
                x_seconds_bucket{a="b",le="0.001024"} 2
                x_seconds_bucket{a="b",le="0.004096"} 2
                x_seconds_bucket{a="b",le="0.016384"} 2
                x_seconds_bucket{a="b",le="0.065536"} 2
                x_seconds_bucket{a="b",le="0.262144"} 2
                x_seconds_bucket{a="b",le="1.048576"} 3
                x_seconds_bucket{a="b",le="4.194304"} 3
                x_seconds_bucket{a="b",le="16.777216"} 3
                x_seconds_bucket{a="b",le="+Inf"} 4
                x_seconds_sum{a="b"} 21.048705
                x_seconds_count{a="b"} 4

                """)
    }

    @Test func `a counter ends with _total in both formats, and a family without numbers is left out`() {
        for (format, name) in [(MetricsFormat.text, "x_total"), (.openMetrics, "x")] {
            var writer = MetricsWriter(format)
            writer.counter("x", "Help.", [([], 1)])
            writer.gauge("y", "Help.", [])
            let end = format == .openMetrics ? "# EOF\n" : ""
            #expect(writer.document == "# TYPE \(name) counter\n# HELP \(name) Help.\nx_total 1\n\(end)")
        }
    }

    @Test(arguments: [
        (nil, MetricsFormat.text), ("*/*", .text), ("text/plain", .text),
        ("application/openmetrics-text; version=1.0.0", .openMetrics), ("application/openmetrics-text;q=0", .text),
    ])
    func `only clients that name OpenMetrics get it`(accept: String?, format: MetricsFormat) {
        #expect(MetricsFormat(accept: accept) == format)
    }
}
