import Feed
import FeedContract
import Foundation
import RPC
import ServiceKit
import Upstream

/// The feed of an edge: `fetch (effect) → map (pure) → keep (effect)`, and what was kept when that fails.
struct EdgeFeed {
    /// Where the upstream is, for messages.
    let upstream: String
    let source: FeedSource
    let cache: any FeedCache
    let monitor: UpstreamMonitor
    let broadcast: FeedBroadcast
    let now: @Sendable () -> Date

    /// Is told of what is wrong with the program itself.
    let onFault: @Sendable (any Error) -> Void

    /// A page that several want at the same time is asked for once.
    let flights: SingleFlight<PageRequest, LoadedFeed>

    /// What is kept is told in the order in which it was kept.
    private let turns = WriteTurns()

    /// How many pages of nothing but repetitions are read over for one page of something new.
    private static let mostRepeats = 5

    struct PageRequest: Hashable {
        let limit: Int
        let cursor: FeedCursor
    }

    init(
        upstream: String, source: @escaping FeedSource, cache: any FeedCache, monitor: UpstreamMonitor,
        broadcast: FeedBroadcast, now: @escaping @Sendable () -> Date,
        flights: SingleFlight<PageRequest, LoadedFeed> = SingleFlight(),
        onFault: @escaping @Sendable (any Error) -> Void
    ) {
        self.flights = flights
        self.upstream = upstream
        self.source = source
        self.cache = cache
        self.monitor = monitor
        self.broadcast = broadcast
        self.now = now
        self.onFault = onFault
    }

    /// Fetches what is asked for, until the task is cancelled.
    func run() async { await flights.run() }

    /// - Parameter time: what the caller has left.
    func load(_ limit: Int, at cursor: FeedCursor, within time: Duration) async throws -> LoadedFeed {
        do {
            let page = try await FetchBudget.run(within: FetchBudget.time(of: time, isAbsent: monitor.isAbsent)) {
                try await flights.value(of: PageRequest(limit: limit, cursor: cursor)) {
                    let (page, isAged) = try await fetch(limit, at: cursor)
                    return try await deliver(page, isAged: isAged)
                }
            }
            monitor.answered(Self.subject)
            return page
        } catch FeedSourceError.cursorRefused {
            monitor.answered(Self.subject)
            throw cursor.unknownError
        } catch {
            // Nobody waits for a fallback who has gone.
            if error is CancellationError || Task.isCancelled { throw CancellationError() }
            note(error)
            return try await kept(limit, at: cursor, insteadOf: error)
        }
    }

    // MARK: From the upstream

    private static let subject = "the feed"

    private func note(_ error: any Error) {
        switch error {
        // That says more about the caller.
        case let spent as FetchBudget.Spent where !spent.isFair: break
        case let spent as FetchBudget.Spent:
            monitor.failed(Self.subject, .absent("\(spent)"))
        case FeedSourceError.rejected(let rejection): monitor.failed(Self.subject, .rejected("\(rejection)"))
        default: monitor.failed(Self.subject, .absent("\(error)"))
        }
    }

    /// A page without what the reader has passed already, whatever the upstream repeats.
    private func fetch(_ limit: Int, at cursor: FeedCursor) async throws -> (FetchedFeedPage, isAged: Bool) {
        var page = try await source(limit, cursor, try await orNil { try await cache.answer(limit, at: cursor) })
        for _ in 0..<Self.mostRepeats {
            let passed = try await orNil { try await cache.passed(page.items.map(\.id), at: cursor) } ?? []
            let new = page.items.filter { !passed.contains($0.id) && $0.id != cursor.id }
            let isEnd = page.items.isEmpty || cursor.isDownward && page.continuation == .last
            guard new.isEmpty, !isEnd, let next = cursor.next(after: page.items) else {
                let items = cursor.isDownward ? Array(new.prefix(limit)) : Array(new.suffix(limit))
                let fetched = FetchedFeedPage(
                    items: items, limit: limit, cursor: cursor, savedAt: page.savedAt,
                    continuation: items.count < new.count ? .more : page.continuation, validators: page.validators)
                return (fetched, page.isAged)
            }
            page = try await source(limit, next, nil)
            // It is not the answer to what was asked for first.
            page.validators = nil
        }
        throw FeedSourceError.rejected(FeedRejection("it repeats the same items again and again"))
    }

    private func deliver(_ page: FetchedFeedPage, isAged: Bool) async throws -> LoadedFeed {
        let kept = try await orNil {
            try await turns.take {
                let kept = try await cache.keep(page)
                if let new = kept?.new, !new.isEmpty { broadcast.record(.published(new)) }
                return kept
            }
        }
        let isLast = page.cursor.isDownward && (page.isEnd || page.continuation != .more && kept?.isLast == true)
        return LoadedFeed(
            page.items, isLast: isLast, origin: .remote, savedAt: isAged ? page.savedAt : nil,
            notices: kept == nil ? [.notKept] : nil)
    }

    // MARK: From the cache

    private func kept(
        _ limit: Int, at cursor: FeedCursor, insteadOf error: any Error
    ) async throws -> LoadedFeed {
        let page = try await orNil { try await cache.page(limit, at: cursor) }
        guard let page, FeedCachePolicy.isValid(savedAt: page.savedAt, at: now()) else {
            throw RPCError(
                .connectivity,
                "the upstream \(upstream) did not answer as it should, and nothing valid is kept: \(error)")
        }
        return LoadedFeed(
            page.items, isLast: cursor.isDownward && page.isLast, origin: .cache, savedAt: page.savedAt)
    }

    /// Runs something that a load can do without. What the store's monitor has told of already is nothing.
    private func orNil<Result>(_ body: () async throws -> Result?) async throws -> Result? {
        do {
            return try await body()
        } catch let error as CancellationError {
            throw error
        } catch {
            if !(error is RPCError) { onFault(error) }
            return nil
        }
    }
}

extension FeedCursor {
    /// Where a reader goes on who has passed a page that he was given; nil where there is nothing to go on from.
    fileprivate func next(after page: [FeedImage]) -> FeedCursor? {
        switch self {
        case .start, .after: page.last.map { .after($0.id) }
        case .before: page.first.map { .before($0.id) }
        }
    }
}

extension LoadedFeed {
    fileprivate init(
        _ items: [FeedImage], isLast: Bool, origin: Origin, savedAt: Date?, notices: [Notice]? = nil
    ) {
        self.init(
            items: items.map(FeedItem.init), nextAfterID: isLast ? nil : items.last?.id,
            prevBeforeID: items.first?.id, origin: origin, savedAt: savedAt, notices: notices)
    }
}
