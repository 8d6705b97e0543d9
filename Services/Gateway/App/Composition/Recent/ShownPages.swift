import FeedContract
import Foundation
import NIOCore
import RPC
import Synchronization

/// The pages of the feed that readers have seen, for the time when the feed does not answer. Limited in number and bytes; the oldest
/// leave first.
final class ShownPages: Sendable {
    static let maximumCount = 32
    static let maximumBytes = 4 << 20

    private struct Shown {
        let load: LoadFeed
        let page: LoadedFeed
    }

    /// The newest is the last.
    private let shown = Mutex<[Shown]>([])

    /// Notes a page that the feed has answered.
    func note(_ page: LoadedFeed, for load: LoadFeed, now: Date) {
        let copy = LoadedFeed(
            items: page.items, nextAfterID: page.nextAfterID, prevBeforeID: page.prevBeforeID, origin: .cache,
            savedAt: page.savedAt ?? now)
        shown.withLock { shown in
            shown.removeAll { $0.load == load }
            shown.append(Shown(load: load, page: copy))
            var bytes = 0
            let kept = shown.reversed().prefix(Self.maximumCount).prefix { entry in
                bytes += entry.page.items.reduce(0) { $0 + $1.heldBytes }
                return bytes <= Self.maximumBytes
            }
            shown = kept.reversed()
        }
    }

    func page(for load: LoadFeed) -> LoadedFeed? { shown.withLock { $0.last { $0.load == load }?.page } }

    func item(_ id: UUID) -> FeedItem? {
        shown.withLock { $0.reversed().lazy.compactMap { $0.page.items.first { $0.id == id } }.first }
    }

    /// Forgets the pages with these items; nil for all.
    func forget(_ ids: [UUID]? = nil) {
        shown.withLock { shown in
            guard let ids = ids.map(Set.init) else { return shown.removeAll() }
            shown.removeAll { $0.page.items.contains { ids.contains($0.id) } }
        }
    }

    /// The number of pages.
    var count: Int { shown.withLock(\.count) }
}

extension FeedItem {
    /// The approximate size in memory.
    fileprivate var heldBytes: Int {
        let texts = [description, location, details.alt, details.credit, details.license, details.source] + tags
        return 400 + image.utf8.count + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }
}

extension Gateway {
    /// How long a reader's page waits for the feed.
    static let patience = TimeAmount.seconds(2)

    /// A page for a reader: the last one that was shown, while the feed does not answer.
    /// - Parameter fallsBack: false for a reader who has a page already, and is better told why there is no newer one.
    /// - Throws: an error that passes, when there is none.
    func shownPage(
        _ load: LoadFeed, fallsBack: Bool, _ options: CallOptions
    ) async throws(RPCError) -> EnrichedFeed {
        do throws(RPCError) {
            let page = try await page(load, patient(options))
            shown.note(page.feed, for: load, now: now())
            return page
        } catch {
            guard error.isPassing else { throw error }
            guard fallsBack, let page = shown.page(for: load) else { throw error.unavailable }
            registry.noteIgnored(FeedContract.load.name, error, options.trace)
            return EnrichedFeed(feed: page)
        }
    }

    /// The same for an item.
    func shownItem(_ id: UUID, _ options: CallOptions) async throws(RPCError) -> EnrichedItem {
        do throws(RPCError) {
            return try await item(id, patient(options))
        } catch {
            guard error.isPassing else { throw error }
            guard let item = shown.item(id) else { throw error.unavailable }
            registry.noteIgnored(FeedContract.get.name, error, options.trace)
            return EnrichedItem(item: item)
        }
    }

    private func patient(_ options: CallOptions) -> CallOptions {
        options.optional(within: Self.patience, now: registry.clock.now)
    }
}

extension RPCError {
    /// Whether the same call may succeed later.
    fileprivate var isPassing: Bool {
        [.unavailable, .deadlineExceeded, .overloaded, .connectivity].contains(kind)
    }

    /// The error for a reader, to whom a feed that is slow is one that is not there.
    fileprivate var unavailable: RPCError {
        kind == .deadlineExceeded
            ? RPCError(.unavailable, message, begun: begun, retryAfter: retryAfter, service: service) : self
    }
}
