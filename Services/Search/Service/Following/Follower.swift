import Foundation
import Logging
import NIOCore
import RPC
import SQLiteKit
import Search
import ServiceKit
import Timing

/// Makes the index follow the feed and the comments.
///
/// One task changes the index. It applies no event between reading a page or a list of comments and writing it, so a change after the
/// reading arrives in an event that is applied later.
struct Follower: Sendable {
    let services: FollowedServices
    let index: Store
    let standing: IndexStanding
    let logger: Logger
    let clock: any MonotonicClock

    /// How many transactions of the walk follow each other while events wait.
    static let stretchesAtOnce = 4

    /// The pause after a failure.
    static let pause = Duration.seconds(1)

    /// How long a stream must be open until the index counts as following: the events that were missed arrive in this time.
    static let settling = Duration.milliseconds(300)

    /// The time between two reports of the progress in reading comments, which counts all images.
    static let reportPeriod = Duration.seconds(1)

    /// The time between two writes of the time up to which the index is current.
    static let currentPeriod = Duration.seconds(60)

    /// Follows until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            do {
                try await follow()
            } catch is IndexReplaced {
                logger.notice("the index was replaced: indexing again")
            } catch {
                if !Task.isCancelled { standing.noteFault(error) }
            }
            // The sleep ends early if the task is cancelled.
            try? await clock.sleep(for: Self.pause)
        }
    }

    /// Follows from the progress of the index on, until the index fails.
    private func follow() async throws {
        let progress = try await reading { try $0.progress() }
        standing.noteStored(
            indexing: try await percent(progress), currentAt: progress.indexedAt)
        let inbox = EventInbox(clock)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await watch(.feed, since: progress.feedSeq, inbox) }
            group.addTask { await watch(.comments, since: progress.commentsSeq, inbox) }
            defer { group.cancelAll() }
            try await work(inbox, from: progress)
        }
    }

    // MARK: Watching

    private func watch(_ source: FollowedServices.Source, since seq: String?, _ inbox: EventInbox) async {
        // A store without progress asks for a reset.
        var seq = seq ?? ""
        var backoff = Backoff()
        while !Task.isCancelled {
            // The sleep ends early if the task is cancelled.
            try? await clock.sleep(for: backoff.next())
            do {
                try await services.check(source)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        try await clock.sleep(for: Self.settling)
                        standing.noteFollowing(source)
                    }
                    defer { group.cancelAll() }
                    try await services.watch(source, since: seq) { event in
                        backoff.reset()
                        await inbox.put(event)
                        seq = event.seq
                    }
                }
            } catch {
                if !Task.isCancelled { standing.noteLost(source, error) }
            }
        }
    }

    // MARK: Working

    /// The segments that a walk leaves, which are merged when there is nothing else to do.
    private enum Segments {
        case many, merging, few
    }

    /// What the working task knows.
    private struct Work {
        var progress: IndexProgress

        /// The pages of the feed that the walk has read.
        var pages = 0

        /// Comments may be unknown since before this process.
        var hasUnknownComments = true
        var segments = Segments.few

        /// When the progress in reading comments was reported, and when the time up to which the index is current was written.
        var lastReport: NIODeadline?
        var lastCurrent: NIODeadline?
    }

    /// Applies events and does one piece of other work in turns, until the task is cancelled.
    private func work(_ inbox: EventInbox, from progress: IndexProgress) async throws {
        var work = Work(progress: progress)
        while true {
            try Task.checkCancellation()
            let events = inbox.take()
            do {
                if !events.isEmpty {
                    standing.noteCurrent(false)
                    if events.contains(where: { $0.change == .feedReset }) { work.pages = 0 }
                    work.progress = try await writing { [base = work.progress] in try await $0.apply(events, from: base)
                    }
                    work.hasUnknownComments = true
                    try await report(&work)
                }
                let isDone = try await !advance(&work, inbox)
                if isDone, events.isEmpty { try await rest(&work, inbox) }
            } catch let error as RPCError {
                // The watchers report a service that does not answer. Events wake the index earlier.
                logger.debug("cannot read: \(error)")
                await inbox.wait(for: Self.pause)
            }
        }
    }

    /// Does one piece of work that no event has asked for.
    /// - Returns: false when there is none.
    private func advance(_ work: inout Work, _ inbox: EventInbox) async throws -> Bool {
        switch work.progress.walk {
        case .removing:
            work.progress = try await writing { [base = work.progress] in try await $0.removeUnfound(from: base) }
        case .walking:
            try await walk(&work, inbox)
            work.segments = .many
            work.hasUnknownComments = true
        case .none:
            guard work.hasUnknownComments else { return false }
            (work.progress, work.hasUnknownComments) = try await readUnknownComments(work.progress)
        }
        try await report(&work)
        return true
    }

    /// The index has all changes that have arrived: waits for the next, or merges segments.
    private func rest(_ work: inout Work, _ inbox: EventInbox) async throws {
        standing.noteCurrent(true)
        if let indexedAt = standing.indexedAt, isOver(Self.currentPeriod, since: work.lastCurrent) {
            work.progress = try await writing { [base = work.progress] in
                try await $0.noteCurrent(at: indexedAt, from: base)
            }
            work.lastCurrent = clock.now
        }
        if work.segments == .few {
            await inbox.wait(for: Self.currentPeriod)
        } else {
            let isFirst = work.segments == .many
            work.segments = try await writing { try await $0.merge(isFirst: isFirst) } ? .merging : .few
        }
    }

    private func writing<Result>(_ body: (SearchIndex) async throws -> Result) async throws -> Result {
        try await index.writing { try await body(SearchIndex($0)) }
    }

    private func reading<Result>(_ body: (SearchIndex) throws -> Result) async throws -> Result {
        try await index.reading { try body(SearchIndex($0)) }
    }

    /// - Parameter time: nil for a period that has not begun yet.
    private func isOver(_ period: Duration, since time: NIODeadline?) -> Bool {
        time.map { clock.now - $0 >= TimeAmount(period) } ?? true
    }

    private func report(_ work: inout Work) async throws {
        let counts = work.progress.walk == .none && work.progress.isBehindComments
        guard !counts || isOver(Self.reportPeriod, since: work.lastReport) else { return }
        if counts { work.lastReport = clock.now }
        standing.noteIndexing(try await percent(work.progress))
    }

    /// Nil when all images are indexed.
    private func percent(_ progress: IndexProgress) async throws -> Int? {
        // Nothing is known of the feed before its first event.
        guard progress.feedSeq != nil else { return 0 }
        let (done, total): (Int, Int)
        switch progress.walk {
        case .walking: (done, total) = (progress.walked, progress.walkTotal)
        case .removing: return 99
        case .none:
            guard progress.isBehindComments else { return nil }
            let (all, unknown) = try await reading { (try $0.count(), try $0.countWithoutComments()) }
            (done, total) = (all - unknown, all)
        }
        return total > 0 ? min(99, done * 100 / total) : 0
    }

    // MARK: Walking through the feed

    /// Reads and writes the next stretches of the feed, until there are no more, or events have waited for some. The next one is read
    /// while one is written; no event is applied meanwhile, because the pages are older than the events.
    /// - Parameter work: is updated by each transaction, also before an error.
    private func walk(_ work: inout Work, _ inbox: EventInbox) async throws {
        if work.progress.walkTotal == 0, work.progress.walked == 0 {
            let total = try await services.count()
            if total > 0 {
                work.progress = try await writing { [base = work.progress] in
                    try await $0.setWalkTotal(total, from: base)
                }
            }
        }
        var stretch = try await reader.stretch(after: work.progress.walkAfter, pagesBefore: work.pages)
        var written = 0
        while true {
            let current = stretch
            work.pages += current.pages
            written += 1
            guard !current.isLast, written < Self.stretchesAtOnce || inbox.isEmpty else {
                work.progress = try await write(current, from: work.progress)
                return
            }
            let (last, done) = (current.images.last?.entry.image.id, work.pages)
            async let next = reader.stretch(after: last, pagesBefore: done)
            work.progress = try await write(current, from: work.progress)
            try await report(&work)
            stretch = try await next
        }
    }

    private func write(_ stretch: FeedStretch, from base: IndexProgress) async throws -> IndexProgress {
        try await writing {
            try await $0.write(stretch.images, isLast: stretch.isLast, isWhole: !stretch.isOfEdge, from: base)
        }
    }

    private var reader: FeedReader {
        FeedReader(services: services, logger: logger) { ids in try await reading { try $0.known(ids) } }
    }

    // MARK: Unknown comments

    /// Reads the comments of some images whose comments are unknown.
    /// - Returns: whether there may be more such images.
    private func readUnknownComments(_ base: IndexProgress) async throws -> (IndexProgress, Bool) {
        let limit = FollowedServices.imagesAtOnce
        let ids = try await reading { try $0.imagesWithoutComments(limit) }
        guard !ids.isEmpty || base.isBehindComments else { return (base, false) }
        let comments = try await services.comments(of: ids)
        let hasMore = ids.count == limit || comments.count < ids.count
        return (try await writing { try await $0.write(comments: comments, from: base) }, hasMore)
    }
}
