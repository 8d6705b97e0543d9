import EdgeModel
import Foundation
import Testing

@Suite struct UpstreamAnswerTests {
    @Test func `header names are case-insensitive, and the first value counts`() {
        let answer = UpstreamAnswer(status: 200, headers: [("ETAG", "1"), ("age", "5"), ("etag", "2")])
        #expect(answer["ETag"] == "1")
        #expect(answer.all("eTag") == ["1", "2"])
        #expect(answer.age == 5)
        #expect(answer.validators == AnswerValidators(etag: "1"))
    }
}

@Suite struct UpstreamAnswerAgeTests {
    @Test(
        arguments: [
            (nil, 0), ("", 0), ("0", 0), ("1", 1), ("007", 7), ("86400", 86_400), ("-1", 0), ("+1", 0), ("1.5", 0),
            (" 1", 0),
            ("x", 0), ("1, 2", 0), ("2147483647", 2_147_483_647), ("2147483648", 2_147_483_648),
            ("2147483649", 2_147_483_648), ("99999999999999999999", 2_147_483_648),
        ] as [(String?, Int)])
    func `an Age header is read in seconds`(header: String?, age: Int) { #expect(answer(age: header).age == age) }

    @Test(arguments: [(0, 5), (1, 4), (60, -55)] as [(Int, TimeInterval)])
    func `the age of an answer is subtracted from the current time`(age: Int, saved: TimeInterval) {
        #expect(
            answer(age: "\(age)").savedAt(receivedAt: Date(timeIntervalSince1970: 5.9))
                == Date(timeIntervalSince1970: saved))
    }

    private func answer(age: String?) -> UpstreamAnswer {
        UpstreamAnswer(status: 200, headers: age.map { [("Age", $0)] } ?? [])
    }
}

@Suite struct StorableTextTests {
    @Test(arguments: [("", ""), ("a", "a"), ("\0", "\u{FFFD}"), ("a\0\0b", "a\u{FFFD}\u{FFFD}b")])
    func `each U+0000 of an upstream is replaced`(text: String, stored: String) { #expect(text.storable == stored) }
}

@Suite struct AnswerValidatorsTests {
    @Test(arguments: [(1_024, true), (1_025, false)])
    func `a validator over the length limit is discarded`(length: Int, isTaken: Bool) {
        let text = String(repeating: "x", count: length)
        #expect(AnswerValidators(etag: text, lastModified: "x").etag == (isTaken ? text : nil))
        #expect(AnswerValidators(etag: "x", lastModified: text).lastModified == (isTaken ? text : nil))
    }

    @Test func `without a header there are no validators`() {
        #expect(AnswerValidators().isEmpty)
        #expect(!AnswerValidators(etag: "x").isEmpty)
        #expect(!AnswerValidators(lastModified: "x").isEmpty)
    }

    @Test func `each validator adds a condition`() {
        #expect(AnswerValidators().conditions.isEmpty)
        let conditions = AnswerValidators(etag: "\"1\"", lastModified: "yesterday").conditions
        #expect(conditions.map(\.name) == ["If-None-Match", "If-Modified-Since"])
        #expect(conditions.map(\.value) == ["\"1\"", "yesterday"])
    }
}
