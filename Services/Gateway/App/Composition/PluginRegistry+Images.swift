import CommentsContract
import FeedContract
import Foundation
import RPC

extension PluginRegistry {
    /// Checks that an image without comments exists. This is necessary only if the answer comes from an authority's
    /// comments service, which does not know the images; an upstream does.
    /// - Returns: the error when the feed cannot be asked; the existence of the image is then unknown.
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
