import FeedContract
import Foundation
import HTTPTypes
import Presentation
import RPC

extension Pages {
    /// A picture in full size, with links to its neighbours in the feed.
    func picture(_ id: UUID, _ reader: Reader, _ options: CallOptions) async throws(RPCError) -> HTTPAnswer {
        async let neighbours = neighbours(of: id, page: "/picture", options)
        let item = try await gateway.feed.shownItem(id, options)
        let image = FeedImagePresenter.viewModel(item, reader.language)
        let model: [String: Any?] = [
            "image": row(image, at: 0, reader), "full": path(Self.imagePath(id)),
            "commentsLink": path("/image/\(id.uuidString)"), "next": await neighbours.next,
            "previous": await neighbours.previous,
        ]
        let frame = Frame(
            title: image.title, description: image.description ?? gateway.site.description(in: reader.language),
            canonicalPath: "/image/\(id.uuidString)/picture",
            imagePath: image.details.isSensitive ? nil : Self.imagePath(id, width: 1_280),
            kind: "picture")
        return page("picture", frame, model, for: reader)
    }

    /// The pages of an image's neighbours in the feed. A page does not wait long for them, and is complete without them.
    func neighbours(
        of id: UUID, page: String = "", _ options: CallOptions
    ) async -> (previous: String?, next: String?) {
        let options = inTime(options)
        @Sendable func path(_ load: LoadFeed) async -> String? {
            let loaded = await result { () throws(RPCError) in try await gateway.feed.page(load, options) }
            return loaded.value?.items.first.map { self.path("/image/\($0.id.uuidString)\(page)") }
        }
        async let previous = path(LoadFeed(limit: 1, beforeID: id))
        return await (previous, path(LoadFeed(limit: 1, afterID: id)))
    }
}
