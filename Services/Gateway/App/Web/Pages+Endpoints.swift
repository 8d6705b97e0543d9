import FeedContract
import HTTPTypes
import RPC

extension Pages {
    /// The addresses of the web page, and of the files that browsers load for it.
    static let endpoints: [Endpoint] = [
        page("/", "showFeed") { pages, reader, request throws(RPCError) in
            try await pages.feed(LoadFeed(request.query), reader, request.options)
        },
        page("/image/{id}", "showComments") { pages, reader, request throws(RPCError) in
            let cursor = try request.query.id("after_id")
            return try await pages.comments(of: request.id, after: cursor, reader, request.options)
        },
        page("/image/{id}/picture", "showPicture") { pages, reader, request throws(RPCError) in
            try await pages.picture(request.id, reader, request.options)
        },
        page("/offline", "showOffline") { pages, reader, _ throws(RPCError) in pages.offline(reader) },
        page("/docs", "showDocs") { pages, reader, request throws(RPCError) in
            await pages.docs(reader, request.options)
        },
        file("/assets/{name}", "getAsset") { pages, name, request in
            let logo = pages.gateway.site.logo.flatMap { $0.asset.path == "/assets/\(name)" ? $0.asset : nil }
            return logo?.answer(for: request.head) ?? Asset.answer(name, for: request.head)
        },
        // A service worker controls the paths below its own, so it must be at the root.
        file("/worker.js", "getWorker") { _, name, request in Asset.answer(name, for: request.head) },
        file("/manifest.webmanifest", "getManifest") { pages, _, request in pages.manifest(for: request) },
        file("/robots.txt", "getRobots") { pages, _, request in pages.robots(for: request.head) },
        file("/favicon.ico", "getIcon") { pages, _, request in
            pages.gateway.site.picture?.answer(for: request.head, cacheControl: "no-cache")
        },
    ]

    /// The endpoint of a page.
    static func page(
        _ path: String, _ name: String,
        _ answer: @escaping @Sendable (Pages, Reader, EndpointRequest) async throws(RPCError) -> HTTPAnswer
    ) -> Endpoint {
        Endpoint(.get, path, name, "", answers: [], isReadableAcrossSites: false) { api, request throws(RPCError) in
            let reader = Reader(request.head, request.target)
            // A link that changes a setting leads back to the page.
            if let change = reader.answerToChange(api.publicURL) { return change }
            return try await answer(api.pages, reader, request)
        }
    }

    private static func file(
        _ path: String, _ name: String,
        _ answer: @escaping @Sendable (Pages, _ name: String, EndpointRequest) -> HTTPAnswer?
    ) -> Endpoint {
        Endpoint(.get, path, name, "", answers: [], isReadableAcrossSites: false) { api, request throws(RPCError) in
            guard let name = request.target.path.last, let answer = answer(api.pages, name, request) else {
                throw RPCError(.notFound, "there is no such file")
            }
            return answer
        }
    }
}
