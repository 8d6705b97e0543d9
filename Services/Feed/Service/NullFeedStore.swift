import Feed
import Foundation
import RPC

/// Stands in for a store that could not be opened, where the operator wants a service all the same: an empty feed to which
/// nothing can be added.
struct NullFeedStore: FeedStore {
    func slice(_ limit: Int, at cursor: FeedCursor) throws -> FeedSlice {
        if let id = cursor.id { throw FeedStoreError.unknownCursor(id) }
        return FeedSlice(items: [], hasMore: false)
    }

    func item(_ id: UUID) -> FeedImage? { nil }

    func publish(_ items: [FeedImage]) throws -> [FeedImage] { throw unavailable }

    func remove(_ ids: [UUID]) throws -> [UUID] { throw unavailable }

    func checkIntegrity() {}

    private var unavailable: RPCError {
        RPCError(.unavailable, "nothing was written: there is no store; the log and rpc.health say why")
    }
}
