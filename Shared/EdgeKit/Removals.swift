import Foundation
import JSON

/// What the upstream's events say was removed, until the cache has removed it, too.
public struct Removals: Sendable {
    /// What one event names.
    public struct Removal: Equatable, Sendable {
        /// Of items or comments, at most 1,000. The cache may not have them.
        public let ids: [UUID]

        /// When the event arrived.
        public let time: Date
    }

    /// The maximum number of removals that wait. What others name leaves the cache once an answer of the upstream lacks it.
    static let most = 100

    /// The maximum number of ids of a removal that is noted.
    static let mostIDs = 1_000

    private let waiting = AsyncStream.makeStream(of: Removal.self, bufferingPolicy: .bufferingOldest(most))

    /// No removals.
    public init() {}

    /// Notes an event `removed`. Other events, and those that cannot be read, are passed over.
    public func note(_ event: ServerSentEvents.Event, at time: Date) {
        guard event.name == "removed", let ids = try? RawJSON(checking: event.data).read(as: Self.ids),
            ids.count <= Self.mostIDs
        else { return }
        waiting.continuation.yield(Removal(ids: ids, time: time))
    }

    /// Hands over the removals in order, until the task is cancelled.
    public func run(_ body: (Removal) async -> Void) async {
        for await removal in waiting.stream { await body(removal) }
    }

    private static let ids = Codec<[UUID]>.object { object in
        let ids = object.required("ids", .array(of: .uuid)) { $0 }
        return { members throws(JSONError) in try members[ids] }
    }
}
