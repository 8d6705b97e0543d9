import EdgeModel
import FeedContract
import Foundation
import ImageDataContract
import RPC

// Items with the sizes and placeholders of their pictures. The feed knows those of pictures that were imported. The image-data
// service knows those of pictures that were published by URL, after their first load.

extension Pictures {
    /// The items with the missing hints of their pictures, from one call. A page does not wait long for them, and is complete
    /// without them: the service finds what it does not know in the background, for a later page.
    func hinted(_ items: [FeedItem], _ options: CallOptions) async -> [FeedItem] {
        let urls = items.filter(\.isAskedFor).map(\.image)
        guard !urls.isEmpty else { return items }
        let known = await hints.hints(of: urls) {
            await registry.optional(
                "image-data", ImageDataContract.facts, FactSelection(urls: Array(Set(urls))),
                within: HTTPLimits.hintsTimeout,
                options
            ).map(\.facts)
        }
        return items.map { item in known[item.image].map { item.completed(by: $0) } ?? item }
    }
}

extension FeedItem {
    /// Whether a hint is missing, and the service can be asked: the URLs of an edge's items may be longer than its limit.
    fileprivate var isAskedFor: Bool {
        (hints.width == nil || hints.placeholder == nil) && image.utf8.count <= FeedItem.maximumImage
    }

    fileprivate func completed(by known: PictureHints) -> FeedItem {
        var item = self
        item.hints = hints.completed(by: known)
        return item
    }
}
