import EdgeModel
import Foundation
import Testing

@testable import ImageData

@Suite struct ImageDownloadTests {
    private static let strong = AnswerValidators(etag: "\"1\"")
    private static let dated = AnswerValidators(lastModified: "Sat, 01 Nov 2025 12:00:00 GMT")
    private static let whole = Data("0123456789".utf8)

    @Test func `a complete answer completes the download`() {
        var download = ImageDownload(limit: 10)
        #expect(download.headers.isEmpty)
        #expect(download.add(answer(validators: Self.strong)) == .whole(Self.whole, Self.strong))
    }

    // MARK: Resuming

    @Test(arguments: [strong, dated]) func `an interrupted download is resumed`(validators: AnswerValidators) throws {
        var download = ImageDownload(limit: 10)
        #expect(download.add(answer(0..<4, validators: validators, isComplete: false)) == .again)
        #expect(download.headers.map(\.name) == ["range", "if-range"])
        #expect(download.headers.map(\.value) == ["bytes=4-", validators.etag ?? validators.lastModified])
        #expect(download.add(part(4..<6, validators: validators, isComplete: false)) == .again)
        #expect(download.headers.first?.value == "bytes=6-")
        #expect(download.add(part(6..<10, validators: validators)) == .whole(Self.whole, validators))
    }

    @Test func `a range that is shorter than the rest is continued`() {
        var download = cut(at: 4)
        #expect(download.add(part(4..<7)) == .again)
        #expect(download.headers.first?.value == "bytes=7-")
        #expect(download.add(part(7..<10)) == .whole(Self.whole, Self.strong))
    }

    @Test func `an interrupted answer may have all bytes of its range`() {
        var download = cut(at: 4)
        #expect(download.add(part(4..<6, range: "bytes 4-5/10", isComplete: false)) == .again)
        #expect(download.headers.first?.value == "bytes=6-")
    }

    @Test func `a range without a total is the rest`() {
        var download = cut(at: 4)
        #expect(download.add(part(4..<10, range: "bytes 4-9/*")) == .whole(Self.whole, Self.strong))
    }

    @Test(arguments: [AnswerValidators(), AnswerValidators(etag: "W/\"1\"")])
    func `without a strong validator it starts again`(validators: AnswerValidators) {
        var download = ImageDownload(limit: 10)
        #expect(download.add(answer(0..<4, validators: validators, isComplete: false)) == .again)
        #expect(download.headers.isEmpty)
        #expect(download.add(answer(validators: validators)) == .whole(Self.whole, validators))
    }

    @Test(arguments: [("Sat, 01 Nov 2025 12:00:00 GMT", false), ("Sat, 01 Nov 2025 12:00:01 GMT", true)])
    func `an image that was changed in the second of its answer is not resumed by its date`(
        date: String, isResumed: Bool
    ) {
        for (validators, resumes) in [
            (Self.dated, isResumed), (AnswerValidators(etag: "\"1\"", lastModified: date), true),
        ] {
            var download = ImageDownload(limit: 10)
            let cut = UpstreamAnswer(
                status: 200, headers: headers(validators) + [("Date", date)], body: Self.whole[0..<4],
                isComplete: false)
            #expect(download.add(cut) == .again)
            #expect(download.headers.isEmpty == !resumes)
        }
    }

    @Test func `a whole other version replaces the partial bytes`() {
        var download = cut(at: 4)
        let other = answer(body: Data("abc".utf8), validators: AnswerValidators(etag: "\"2\""))
        #expect(download.add(other) == .whole(Data("abc".utf8), AnswerValidators(etag: "\"2\"")))
    }

    @Test(arguments: [
        ("bytes 5-9/10", "56789", "\"1\""), ("bytes 3-9/10", "3456789", "\"1\""),
        ("bytes 0-9/10", "0123456789", "\"1\""),
        ("bytes 4-9/10", "456789", "\"2\""), ("bytes 4-9/10", "456789", "W/\"1\""), ("bytes 4-9/10", "45678", "\"1\""),
        ("bytes 4-9/10", "4567890", "\"1\""), ("bytes 4-9/9", "456789", "\"1\""), ("nonsense", "456789", "\"1\""),
    ])
    func `a range that does not continue the partial bytes is discarded and the whole image requested`(
        range: String, body: String, etag: String
    ) {
        var download = cut(at: 4)
        let wrong = UpstreamAnswer(
            status: 206, headers: [("Content-Range", range), ("ETag", etag)], body: Data(body.utf8))
        #expect(download.add(wrong) == .again)
        #expect(download.headers.isEmpty)
        #expect(download.add(answer()) == .whole(Self.whole, Self.strong))
    }

    @Test func `a range of another date is of another version`() {
        var download = ImageDownload(limit: 10)
        _ = download.add(answer(0..<4, validators: Self.dated, isComplete: false))
        let other = AnswerValidators(lastModified: "Sun, 02 Nov 2025 12:00:00 GMT")
        #expect(download.add(part(4..<10, validators: other)) == .again)
        #expect(download.headers.isEmpty)
    }

    @Test func `a range without Content-Range is discarded`() {
        var download = cut(at: 4)
        #expect(download.add(UpstreamAnswer(status: 206, body: Data("456789".utf8))) == .again)
        #expect(download.headers.isEmpty)
    }

    @Test func `after an unsatisfiable range the whole image is requested`() {
        var download = cut(at: 4)
        #expect(download.add(UpstreamAnswer(status: 416)) == .again)
        #expect(download.headers.isEmpty)
        #expect(download.add(answer()) == .whole(Self.whole, Self.strong))
    }

    // MARK: Limits

    @Test func `the number of requests is limited`() {
        var download = ImageDownload(limit: 10)
        for _ in 1..<ImageDownload.requestLimit { #expect(download.add(answer(0..<4, isComplete: false)) == .again) }
        #expect(download.add(answer(0..<4, isComplete: false)) == .cut)
    }

    @Test func `the last request may complete the download`() {
        var download = ImageDownload(limit: 10)
        for _ in 1..<ImageDownload.requestLimit { _ = download.add(answer(0..<4, isComplete: false)) }
        #expect(download.add(answer()) == .whole(Self.whole, Self.strong))
    }

    @Test(arguments: [(10, true), (9, false)]) func `the parts together may have the maximum size of an image`(
        limit: Int, fits: Bool
    ) {
        var download = ImageDownload(limit: limit)
        _ = download.add(answer(0..<4, isComplete: false))
        let step = download.add(part(4..<10))
        #expect(step == (fits ? .whole(Self.whole, Self.strong) : .tooLarge))
    }

    // MARK: Other answers

    @Test func `unchanged bytes are not sent again`() {
        var download = ImageDownload(limit: 10, validators: Self.strong)
        #expect(download.headers.map(\.name) == ["If-None-Match"])
        #expect(download.add(UpstreamAnswer(status: 304, headers: [("Age", "5")])) == .notModified)
    }

    @Test func `status 304 is valid only after a conditional request`() {
        var unasked = ImageDownload(limit: 10)
        #expect(unasked.add(UpstreamAnswer(status: 304)) == .refused(status: 304))
        var resumed = ImageDownload(limit: 10, validators: Self.strong)
        _ = resumed.add(answer(0..<4, isComplete: false))
        #expect(resumed.add(UpstreamAnswer(status: 304)) == .refused(status: 304))
    }

    @Test func `an interrupted conditional answer is resumed without the condition`() {
        var download = ImageDownload(limit: 10, validators: AnswerValidators(etag: "\"0\""))
        #expect(download.add(answer(0..<4, isComplete: false)) == .again)
        #expect(download.headers.map(\.name) == ["range", "if-range"])
    }

    @Test(arguments: [201, 204, 206, 301, 400, 404, 416, 500, 503]) func `any other status is refused`(status: Int) {
        var download = ImageDownload(limit: 10)
        #expect(download.add(UpstreamAnswer(status: status, body: Self.whole)) == .refused(status: status))
    }

    @Test(arguments: [
        (nil, 0), ("0", 0), ("7", 7), ("-7", 0), ("x", 0), ("", 0), ("99999999999999999999", 2_147_483_648),
        ("9999999999", 2_147_483_648),
    ])
    func `an Age header is read, up to a maximum`(text: String?, age: Int) {
        #expect(UpstreamAnswer(status: 200, headers: text.map { [("Age", $0)] } ?? []).age == age)
    }

    // MARK: Answers

    /// A download that was interrupted after this many bytes.
    private func cut(at count: Int) -> ImageDownload {
        var download = ImageDownload(limit: 10)
        _ = download.add(answer(0..<count, isComplete: false))
        return download
    }

    private func answer(
        _ range: Range<Int> = 0..<10, body: Data = whole, validators: AnswerValidators = strong,
        isComplete: Bool = true
    ) -> UpstreamAnswer {
        let body = body.count < range.upperBound ? body : Data(body[range])
        return UpstreamAnswer(
            status: 200, headers: headers(validators), body: body, isComplete: isComplete)
    }

    private func part(
        _ bytes: Range<Int>, range: String? = nil, validators: AnswerValidators = strong, isComplete: Bool = true
    ) -> UpstreamAnswer {
        UpstreamAnswer(
            status: 206,
            headers: headers(validators) + [
                ("content-range", range ?? "bytes \(bytes.lowerBound)-\(isComplete ? bytes.upperBound - 1 : 9)/10")
            ], body: Self.whole[bytes], isComplete: isComplete)
    }

    private func headers(_ validators: AnswerValidators) -> [(name: String, value: String)] {
        [validators.etag.map { ("ETag", $0) }, validators.lastModified.map { ("Last-Modified", $0) }]
            .compactMap(\.self)
    }
}
