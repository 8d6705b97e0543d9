import FeedContract
import Foundation
import HTTPTypes
import Presentation
import RPC

extension Pages {
    /// A picture in full size, with links to its neighbours in the feed.
    func picture(_ id: UUID, _ reader: Reader, _ options: CallOptions) async throws(RPCError) -> HTTPAnswer {
        async let loadedNext = result { () throws(RPCError) in
            try await gateway.feed.page(LoadFeed(limit: 1, afterID: id), options)
        }
        async let loadedPrevious = result { () throws(RPCError) in
            try await gateway.feed.page(LoadFeed(limit: 1, beforeID: id), options)
        }
        let item = try await gateway.feed.item(id, options)
        // Without its neighbours the page is still complete.
        let (next, previous) = await (loadedNext.value?.items.first, loadedPrevious.value?.items.first)
        let image = FeedImagePresenter.viewModel(item, reader.language)
        let link = { (item: FeedItem) in path("/image/\(item.id.uuidString)/picture") }
        let model: [String: Any?] = [
            "image": row(image, at: 0, reader), "full": path(Self.imagePath(id)),
            "commentsLink": path("/image/\(id.uuidString)"), "next": next.map(link), "previous": previous.map(link),
        ]
        let frame = Frame(
            title: image.title, description: image.description ?? Texts(reader.language)[.feedDescription],
            canonicalPath: "/image/\(id.uuidString)/picture",
            imagePath: image.details.isSensitive ? nil : Self.imagePath(id, width: 1_280),
            kind: "picture")
        return page("picture", frame, model, for: reader)
    }
}
