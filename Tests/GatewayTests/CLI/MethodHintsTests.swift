import FeedContract
import JSON
import Testing

@testable import gateway

@Suite struct MethodHintsTests {
    private func hints(_ message: String, _ params: String) throws -> [String] {
        MethodHints(methods: FeedContract.contract.methods)
            .wrongParameter(message, of: "feed.publish", in: try RawJSON(checking: params))
    }

    @Test func `an unknown parameter has the nearest known one`() throws {
        #expect(
            try hints("params.itms: is not a known member", #"{"itms":[]}"#) == ["Did you mean items? It takes items."])
    }

    @Test(arguments: [
        ("params.items: is missing", #"{"itms":[]}"#, ["Did you mean items in place of itms?"]),
        ("params.items[0].image: is missing", #"{"items":[{"imge":"a"}]}"#, ["Did you mean image in place of imge?"]),
        ("params.items: is missing", "{}", []), ("params.items: is missing", #"{"other":1}"#, []),
        ("params.items: must not be empty", #"{"items":[],"itms":[]}"#, []),
        ("params.items[3].image: is missing", #"{"items":[]}"#, []), ("params.items[0].image: is missing", "[]", []),
    ])
    func `a missing parameter has the one that was probably meant`(
        message: String, params: String, expected: [String]
    ) throws {
        #expect(try hints(message, params) == expected)
    }
}
