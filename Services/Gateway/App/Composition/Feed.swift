import FeedContract
import Foundation
import RPC

/// Reads pages and items of the feed from the service `feed` behind the gateway. `ImageComments` and `Pictures` use
/// it to find an image.
struct Feed: Sendable {
    let registry: PluginRegistry

    /// Pages as the HTTP API answers them.
    let recent: RecentPages

    /// What readers have seen.
    let shown = ShownPages()

    /// Calls after which a page may have other items.
    static let changes: Set = [FeedContract.publish.name, FeedContract.remove.name, FeedContract.validate.name]

    func page(_ load: LoadFeed, _ options: CallOptions) async throws(RPCError) -> LoadedFeed {
        try await registry.plugin("feed").call(FeedContract.load, load, options)
    }

    /// - Throws: `not_found` when the feed has no such item.
    func item(_ id: UUID, _ options: CallOptions) async throws(RPCError) -> FeedItem {
        try await loadedItem(id, options).item
    }

    /// An item, and on an edge where it comes from.
    /// - Throws: `not_found` when the feed has no such item.
    func loadedItem(_ id: UUID, _ options: CallOptions) async throws(RPCError) -> LoadedItem {
        try await registry.plugin("feed").call(FeedContract.get, FeedItemSelection(id: id), options)
    }

    /// The items with these ids, without those that the feed does not have.
    func items(_ ids: [UUID], _ options: CallOptions) async throws(RPCError) -> [FeedItem] {
        guard !ids.isEmpty else { return [] }
        return try await registry.plugin("feed").call(FeedContract.items, SelectedIDs(ids: ids), options).items
    }

    /// Checks that the feed has an item.
    /// - Returns: the error when the feed cannot be asked; whether the item exists is then unknown.
    /// - Throws: `not_found` when the feed has no such item.
    func problem(proving id: UUID, _ options: CallOptions) async throws(RPCError) -> RPCError? {
        do throws(RPCError) {
            _ = try await item(id, options)
            return nil
        } catch {
            if error.kind == .notFound { throw error }
            registry.noteIgnored(FeedContract.get.name, error, options.trace)
            return error
        }
    }
}
