import JSON
import RPC
import RPCTestKit
import Testing

@testable import RPC

@Suite struct AnnouncedLimitsTests {
    @Test func `a limit that a server omits has its default, except the largest message`() throws {
        let limits = try RawJSON(checking: #"{"frame_bytes":5000}"#).read(as: Limits.announced)
        var expected = Limits()
        expected.frameBytes = 5_000
        #expect(limits == expected)
        #expect(throws: JSONError.self) { try RawJSON(checking: "{}").read(as: Limits.announced) }
    }

    @Test func `announced limits can be read back`() throws {
        var limits = Limits()
        for (index, setting) in Limits.settings.enumerated() { limits[setting] = setting.allowed.lowerBound + index }
        #expect(try RawJSON(limits, as: Limits.announced).read(as: Limits.announced) == limits)
    }

    @Test func `an excessive value counts as the maximum`() throws {
        for setting in Limits.settings where setting.name != "frame_bytes" {
            let text = #"{"frame_bytes":\#(Int.max),"\#(setting.name)":\#(Int.max)}"#
            let limits = try RawJSON(checking: text).read(as: Limits.announced)
            #expect(limits[setting] == setting.allowed.upperBound)
            #expect(limits.frameBytes == Limits.largestFrameLength)
        }
    }

    @Test func `a value of 0 counts as the minimum`() throws {
        for setting in Limits.settings where setting.name != "frame_bytes" {
            let text = #"{"frame_bytes":5000,"\#(setting.name)":0}"#
            #expect(try RawJSON(checking: text).read(as: Limits.announced)[setting] == setting.allowed.lowerBound)
        }
    }

    @Test func `the ranges are as documented`() {
        let (sizes, counts, times) = (4_096...1_099_511_627_776, 1...1_000_000, 1...86_400_000)
        let expected = [
            "frame_bytes": 4_096...16_777_215, "calls_per_connection": counts, "calls_per_process": counts,
            "connections": counts, "default_timeout_ms": times, "queued_bytes": sizes,
            "queued_bytes_per_process": sizes, "assembled_bytes": sizes, "assembled_bytes_per_process": sizes,
            "open_transfers": 1...65_536, "frame_timeout_ms": times, "write_timeout_ms": times, "deaf_time_ms": times,
            "discarded_bytes": sizes, "discard_time_ms": times,
        ]
        #expect(Dictionary(Limits.settings.map { ($0.name, $0.allowed) }) { $1 } == expected)
    }
}
