import ImageData
import Testing

@Suite struct ValidatorsTests {
    private static let date = "Sat, 01 Nov 2025 12:00:00 GMT"

    @Test func `without validators there are no conditions`() {
        #expect(Validators().isEmpty)
        #expect(Validators().conditions.isEmpty)
        #expect(Validators().forRange == nil)
    }

    @Test func `each validator adds a condition`() {
        let conditions = Validators(etag: "\"1\"", lastModified: Self.date).conditions
        #expect(conditions.map(\.name) == ["if-none-match", "if-modified-since"])
        #expect(conditions.map(\.value) == ["\"1\"", Self.date])
    }

    @Test(arguments: [
        (Validators(etag: "\"1\""), "\"1\""),
        (Validators(etag: "\"1\"", lastModified: date), "\"1\""),
        (Validators(lastModified: date), date),
        (Validators(etag: "W/\"1\""), nil),
        (Validators(etag: "W/\"1\"", lastModified: date), nil),
    ])
    func `only a strong validator is used for a range`(validators: Validators, expected: String?) {
        #expect(validators.forRange == expected)
    }
}
