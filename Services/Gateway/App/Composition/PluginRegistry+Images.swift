import CommentsContract
import FeedContract
import Foundation
import RPC

extension PluginRegistry {
    /// Checks that an image without comments exists, where that is to be proven: an authority's comments service does not
    /// know the images. What came from an upstream, now or earlier, needs no proof, as the upstream knows its images.
    /// - Returns: why the feed does not say; it says nothing about the image then.
    /// - Throws: `not_found` when the feed has no such image.
    func problem(
        provingImageOf comments: ListedComments, _ imageID: UUID, _ options: CallOptions
    ) async throws(RPCError) -> RPCError? {
        guard comments.items.isEmpty, comments.origin == .store else { return nil }
        do throws(RPCError) {
            _ = try await plugin("feed").call(FeedContract.get, FeedItemSelection(id: imageID), options)
            return nil
        } catch {
            if error.kind == .notFound { throw error }
            noteIgnored(FeedContract.get.name, error, options.trace)
            return error
        }
    }
}
