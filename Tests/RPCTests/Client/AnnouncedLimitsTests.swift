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
}
