import Comments
import CommentsContract
import EdgeKit
import Foundation
import GRDB
import RPCTestKit
import SQLiteKit
import ServiceKit
import Upstream

@testable import comments_service

/// An edge with its store, its monitors and a scripted upstream.
final class TestedEdge: Sendable {
    let edge: EdgeComments
    let upstream: ScriptedUpstream
    let log: RecordedLog
    let store: Store
    let pool: DatabasePool
    let clock: TestClock
    let time = ManualClock()
    let cache: SQLiteCommentsCache
    private let running: Task<Void, Never>

    static func with(
        _ script: @escaping ScriptedUpstream.Script,
        _ body: (TestedEdge) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let pool = try SQLiteCommentsCache.opening.open(directory + "/comments-edge.sqlite")
            try await body(TestedEdge(ScriptedUpstream(script), pool))
        }
    }

    init(_ upstream: ScriptedUpstream, _ pool: DatabasePool, hasStore: Bool = true) {
        let (log, clock) = (RecordedLog(), TestClock())
        store = Store(
            SQLiteCommentsCache.opening, at: pool.path,
            hasStore ? .success(pool) : .failure(StoreUnusable(path: pool.path, reason: .readOnly)), logger: log.logger,
            now: clock.read, clock: time)
        cache = SQLiteCommentsCache(store)
        edge = EdgeComments(
            remote: RemoteComments(
                endpoint: CommentsEndpoint(base: URL(filePath: "/")), fetch: upstream.fetch, cache: cache,
                broadcast: ChangeBroadcast(cache), now: clock.read),
            cache: cache, monitor: UpstreamMonitor(.test, logger: log.logger, clock: time), clock: time,
            onFault: { log.logger.error("\($0)") })
        (self.upstream, self.log, self.pool, self.clock) = (upstream, log, pool, clock)
        running = Task { [edge] in await edge.run() }
    }

    deinit { running.cancel() }

    func list(
        _ image: Int = 0, limit: Int? = nil, after cursor: Int? = nil, within time: Duration = .seconds(3_600)
    ) async throws -> ListedComments {
        try await edge.list(
            ListComments(imageID: UUID(number: image), limit: limit, afterID: cursor.map(UUID.init(number:))),
            within: time)
    }

    /// Makes writes to the store fail or succeed.
    func setWriting(works: Bool) async throws {
        try await pool.writeWithoutTransaction { db in
            // Simulates a full disk by limiting the number of pages.
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(works ? 1_000_000 : pages)")
        }
    }
}

extension ListedComments {
    /// The numbers of the comments.
    var numbers: [Int] { items.map(\.id.number) }
}

extension UpstreamBase {
    static var test: UpstreamBase {
        guard let base = try? UpstreamBase("http://origin.example") else { preconditionFailure("it is a URL") }
        return base
    }
}
