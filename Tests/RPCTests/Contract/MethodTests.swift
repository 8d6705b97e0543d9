import RPC
import Testing

@Suite struct MethodTests {
    @Test func `the schema of parameters refuses unknown members, that of results does not`() {
        let empty = Method("test.method", "Test.", params: Empty.codec, answer: Empty.codec).description
        #expect(empty.params.description == #"{"type":"object","properties":{},"additionalProperties":false}"#)
        #expect(empty.result.description == #"{"type":"object","properties":{}}"#)
    }
}
