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

    private func answer(_ items: Int = 0, after: Int = 1) -> String {
        let id = "5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D01"
        let item = #"{"image_id":"\#(id)","score":1,"snippet":[]}"#
        let cursor = String(repeating: "a", count: after)
        let list = Array(repeating: item, count: items).joined(separator: ",")
        return #"{"items":[\#(list)],"total_at_least":0,"next_after":"\#(cursor)"}"#
    }

    @Test("an answer has at most 100 images", arguments: [(100, true), (101, false)])
    func answeredImages(count: Int, isAccepted: Bool) {
        #expect(self.isAccepted(answer(count), FoundItems.codec) == isAccepted)
    }

    @Test(
        "an answered cursor has 1 to 3,000 characters",
        arguments: [(0, false), (1, true), (3_000, true), (3_001, false)])
    func answeredCursor(length: Int, isAccepted: Bool) {
        #expect(self.isAccepted(answer(after: length), FoundItems.codec) == isAccepted)
    }

    @Test("an answer has at most 20 suggestions of a kind", arguments: [(20, true), (21, false)])
    func answeredSuggestions(count: Int, isAccepted: Bool) {
        let list = Array(repeating: #"{"text":"a","count":1}"#, count: count).joined(separator: ",")
        for lists in [(list, "", ""), ("", list, ""), ("", "", list)] {
            let answer = #"{"tags":[\#(lists.0)],"places":[\#(lists.1)],"people":[\#(lists.2)]}"#
            #expect(self.isAccepted(answer, Suggestions.codec) == isAccepted)
        }
    }

    @Test("there are 1 to 20 suggestions of a kind", arguments: [(0, false), (1, true), (20, true), (21, false)])
    func suggestions(limit: Int, isAccepted: Bool) {
        #expect(self.isAccepted(#"{"prefix":"","limit":\#(limit)}"#, Suggest.codec) == isAccepted)
    }
}
