import JSON
import RPC
import SearchContract
import Testing

/// The limits of the parameters, at them and one past them.
@Suite struct SearchLimitsTests {
    private func isAccepted<Value>(_ text: String, _ codec: Codec<Value>) -> Bool {
        do throws(JSONError) {
            _ = try RawJSON(checking: text).read(as: codec)
            return true
        } catch {
            return false
        }
    }

    @Test("a page of results has 1 to 100 images", arguments: [(0, false), (1, true), (100, true), (101, false)])
    func results(limit: Int, isAccepted: Bool) {
        #expect(self.isAccepted(#"{"limit":\#(limit)}"#, SearchItems.codec) == isAccepted)
    }

    @Test("a call has at most 20 tags", arguments: [(20, true), (21, false)])
    func tags(count: Int, isAccepted: Bool) {
        let tags = Array(repeating: #""a""#, count: count).joined(separator: ",")
        #expect(self.isAccepted(#"{"tags":[\#(tags)]}"#, SearchItems.codec) == isAccepted)
    }

    @Test("a cursor has at most 3,000 characters", arguments: [(3_000, true), (3_001, false)])
    func cursor(length: Int, isAccepted: Bool) {
        let after = String(repeating: "a", count: length)
        #expect(self.isAccepted(#"{"after":"\#(after)"}"#, SearchItems.codec) == isAccepted)
    }

    @Test("there are 1 to 20 suggestions of a kind", arguments: [(0, false), (1, true), (20, true), (21, false)])
    func suggestions(limit: Int, isAccepted: Bool) {
        #expect(self.isAccepted(#"{"prefix":"","limit":\#(limit)}"#, Suggest.codec) == isAccepted)
    }
}
