import GRDB
import Hummingbird
import Logging

/// Serves `GET /v1/feed` from the file of a feed service, in one process: `hummingbird-bench FEED.SQLITE PORT BASE-URL`.
@main
struct HummingbirdBench {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let port = Int(arguments[2]) else {
            fatalError("Usage: hummingbird-bench FEED.SQLITE PORT BASE-URL")
        }
        var configuration = Configuration()
        configuration.readonly = true
        let feed = FeedFile(
            pool: try DatabasePool(path: arguments[1], configuration: configuration), base: arguments[3])
        let router = Router()
        router.get("v1/feed") { request, _ in
            let limit = request.uri.queryParameters.get("limit", as: Int.self) ?? FeedFile.defaultLimit
            return Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: try feed.page(limit))))
        }
        var logger = Logger(label: "hummingbird-bench")
        logger.logLevel = .error
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)), logger: logger)
        try await application.runService()
    }
}
