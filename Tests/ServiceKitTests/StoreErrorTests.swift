import RPC
import ServiceKit
import Testing

@Suite struct StoreErrorTests {
    private struct Other: Error {}

    @Test(arguments: [
        (StoreError.full, ErrorKind.unavailable), (.busy, .unavailable), (.unreachable, .unavailable),
        (.damaged, .dataLoss), (.foreign, .dataLoss),
    ])
    func `the answer names the failure for programs`(error: StoreError, kind: ErrorKind) {
        #expect(error.answer.kind == kind)
        #expect(error.answer.details?.description == #"{"store":"\#(error.rawValue)"}"#)
    }

    @Test func `only a failing store is ignored`() async throws {
        #expect(try await orNil { 1 } == 1)
        #expect(try await orNil { () async throws -> Int? in throw StoreError.full } == nil)
        await #expect(throws: Other.self) { try await orNil { () async throws -> Int? in throw Other() } }
    }
}
