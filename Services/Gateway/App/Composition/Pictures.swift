import FeedContract
import Foundation
import ImageDataContract
import JSON
import RPC

/// The bytes of images: an item of the feed names a URL, and the image-data service has its bytes.
struct Pictures: Sendable {
    let registry: PluginRegistry
    let feed: Feed
    let recent: RecentImages
    let hints: RecentHints

    /// Calls after which an item may have another image, or none.
    static let changes: Set = [
        FeedContract.publish.name, FeedContract.remove.name, FeedContract.validate.name, ImageDataContract.put.name,
        ImageDataContract.evict.name,
    ]

    /// The image of an item, or a variant. Concurrent requests share one load.
    /// - Throws: `not_found` when the feed has no such item.
    func picture(_ wanted: WantedPicture, _ options: CallOptions) async throws(RPCError) -> HeldImage {
        try await recent.value(of: wanted) { () throws(RPCError) in
            let item = try await feed.shownItem(wanted.id, options)
            let image = try await registry.plugin("image-data").call(
                ImageDataContract.load, wanted.load(from: item.image), options)
            return HeldImage(
                image,
                disposition: PictureName.disposition(of: item, contentType: image.metadata.contentType))
        }
    }

    /// The answer of `image-data.load` without decoding it, for forwarding.
    func bytes(at url: String, _ options: CallOptions) async throws(RPCError) -> Payload {
        try await registry.plugin("image-data").call(
            ImageDataContract.load.name, Payload(RawJSON(LoadImage(url: url), as: LoadImage.codec)), options)
    }

    /// Clears the cached pictures and hints, after a change.
    func forget() {
        recent.forget()
        hints.forget()
    }
}
