import Feed
import FeedContract
import Foundation
import RPC
import ServiceKit

/// Implements the feed contract on an authority.
struct FeedHandlers {
    let store: any FeedStore
    let broadcast: ChangeBroadcast<FeedChange>
    let now: @Sendable () -> Date

    var table: MethodTable {
        var table = MethodTable(FeedContract.contract)
        table.handle(FeedContract.load) { params, _ in
            let cursor = FeedCursor(params)
            do {
                let slice = try await store.slice(params.limit ?? LoadFeed.defaultLimit, at: cursor)
                return LoadedFeed(slice.items, at: cursor, isLast: !slice.hasMore, origin: .store)
            } catch FeedStoreError.unknownCursor {
                throw cursor.unknownError
            }
        }
        table.handle(FeedContract.get) { params, _ in
            guard let item = try await store.item(params.id) else {
                throw RPCError(.notFound, "the feed has no item \(params.id.uuidString)")
            }
            return LoadedItem(FeedItem(item))
        }
        table.handle(FeedContract.items) { params, _ in
            SelectedItems(items: try await store.items(params.ids).map(FeedItem.init))
        }
        table.handle(FeedContract.find) { params, _ in
            let items = try await store.items(withIDs: params.prefix.ids, limit: MatchingItems.maximumCount)
            return MatchingItems(items: items.map(FeedItem.init))
        }
        table.handle(FeedContract.count) { _, _ in Count(count: try await store.count()) }
        table.handle(FeedContract.publish) { params, _ in
            defer { broadcast.wake() }
            return try await answering {
                Count(count: try await store.publish(params.items.map(FeedImage.init), now: now()).count)
            }
        }
        table.handle(FeedContract.remove) { params, _ in
            defer { broadcast.wake() }
            return Count(count: try await store.remove(params.ids).count)
        }
        table.handle(FeedContract.validate) { _, _ in
            try await store.checkIntegrity()
            return Validation(outcome: .kept)
        }
        table.handle(FeedContract.watch, watching: broadcast, since: \.since) { FeedEvent($0) }
        return table
    }

    /// Maps the feature's errors to those of the contract.
    private func answering<Answer>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Answer
    ) async throws -> Answer {
        do {
            return try await body()
        } catch FeedStoreError.conflict(let id) {
            throw RPCError(.alreadyExists, "the item \(id.uuidString) exists with other content; nothing was written")
        }
    }
}
