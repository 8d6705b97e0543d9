import RPC
import Testing

@testable import gateway

@Suite struct ErrorKindTests {
    /// The table in PROTOCOL.md.
    @Test(
        arguments: [
            ("parse_error", 400, 65), ("invalid_request", 400, 65), ("method_not_found", 404, 64),
            ("invalid_params", 400, 64), ("internal", 500, 70), ("cancelled", 499, 130),
            ("deadline_exceeded", 504, 75), ("unavailable", 503, 69), ("not_found", 404, 66),
            ("invalid_data", 502, 65), ("connectivity", 502, 69), ("overloaded", 429, 75),
            ("permission_denied", 403, 77), ("already_exists", 409, 73), ("data_loss", 500, 74),
            ("read_only", 403, 77), ("too_large", 413, 65),
        ] as [(String, Int, Int32)])
    func `a kind has its HTTP status and exit code`(name: String, status: Int, exitCode: Int32) throws {
        let kind = try #require(ErrorKind(rawValue: name))
        #expect(kind.httpStatus == status)
        #expect(kind.exitCode == exitCode)
        #expect(kind.isServerError == (status >= 500))
    }
}
