import EdgeModel
import ImageData
import Testing

@Suite struct ValidatorsForRangeTests {
    private static let date = "Sat, 01 Nov 2025 12:00:00 GMT"

    @Test(arguments: [
        (AnswerValidators(), nil),
        (AnswerValidators(etag: "\"1\""), "\"1\""),
        (AnswerValidators(etag: "\"1\"", lastModified: date), "\"1\""),
        (AnswerValidators(lastModified: date), date),
        (AnswerValidators(etag: "W/\"1\""), nil),
        (AnswerValidators(etag: "W/\"1\"", lastModified: date), nil),
    ])
    func `only a strong validator is used for a range`(validators: AnswerValidators, expected: String?) {
        #expect(validators.forRange == expected)
    }
}
