import FeedContract
import Foundation
import HTTPTypes
import Presentation
import RPC

extension Pages {
    /// A picture in full size, with links to its neighbours in the feed.
    func picture(_ id: UUID, _ reader: Reader, _ options: CallOptions) async throws(RPCError) -> HTTPAnswer {
        async let neighbours = neighbours(of: id, options)
        let item = try await gateway.feed.shownItem(id, options)
        let image = FeedImagePresenter.viewModel(item, reader.language)
        let (previous, next) = await neighbours
        let model: [String: Any?] = [
            "image": row(image, at: 0, reader), "full": path(Self.imagePath(id)),
            "commentsLink": path("/image/\(id.uuidString)"),
            "previous": previous.map { path("/image/\($0.id.uuidString)/picture") },
            "next": next.map { path("/image/\($0.id.uuidString)/picture") },
            "previousAhead": previous.flatMap { pathAhead($0, reader) },
            "nextAhead": next.flatMap { pathAhead($0, reader) },
        ]
        let frame = Frame(
            title: windowTitle(of: image, reader),
            description: image.description ?? gateway.site.description(in: reader.language),
            canonicalPath: "/image/\(id.uuidString)/picture",
            imagePath: image.details.isSensitive ? nil : Self.imagePath(id, width: 1_280),
            kind: "picture")
        return page("picture", frame, model, for: reader)
    }

    /// The picture of a neighbour, which is loaded ahead; nil for one that is covered, and for a reader who saves data.
    private func pathAhead(_ neighbour: FeedItem, _ reader: Reader) -> String? {
        neighbour.details.isSensitive || reader.savesData ? nil : path(Self.imagePath(neighbour.id))
    }

    /// The name of an image, or that of the site.
    func windowTitle(of image: FeedImageViewModel, _ reader: Reader) -> String {
        image.isUntitled ? gateway.site.title(in: reader.language) : image.title
    }

    /// An image's neighbours in the feed. A page does not wait long for them, and is complete without them.
    func neighbours(of id: UUID, _ options: CallOptions) async -> (previous: FeedItem?, next: FeedItem?) {
        let options = inTime(options)
        @Sendable func first(_ load: LoadFeed) async -> FeedItem? {
            let loaded = await result { () throws(RPCError) in try await gateway.feed.page(load, options) }
            return loaded.value?.items.first
        }
        async let previous = first(LoadFeed(limit: 1, beforeID: id))
        return await (previous, first(LoadFeed(limit: 1, afterID: id)))
    }
}
