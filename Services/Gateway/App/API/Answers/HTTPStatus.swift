import HTTPTypes
import NIOHTTP1

/// The words for status codes.
enum HTTPStatus {
    static func phrase(_ code: Int) -> String {
        // What nginx calls it; there is no standard code for a client that has gone away.
        code == 499 ? "Client Closed Request" : HTTPResponseStatus(statusCode: code).reasonPhrase
    }

    static func of(_ code: Int) -> HTTPResponse.Status { HTTPResponse.Status(code: code, reasonPhrase: phrase(code)) }
}
