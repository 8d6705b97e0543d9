import HTTPTypes
import NIOHTTP1

/// The reason phrases of status codes.
enum HTTPStatus {
    static func phrase(_ code: Int) -> String {
        // nginx's phrase; HTTP has no code for a client that has closed the connection.
        code == 499 ? "Client Closed Request" : HTTPResponseStatus(statusCode: code).reasonPhrase
    }

    static func of(_ code: Int) -> HTTPResponse.Status { HTTPResponse.Status(code: code, reasonPhrase: phrase(code)) }
}
