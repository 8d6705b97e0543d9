import CommentsContract
import FeedContract
import Foundation
import RPC
import RPCTestKit
import SearchContract
import Timing

/// The real services feed, comments and search in a temporary root. Search follows the two directly.
final class SearchStack {
    let root: String
    let feed: Connection
    let comments: Connection
    let search: Connection
    private var programs: [String: RunningProgram] = [:]

    /// Further options of the services.
    private let options: [String: [String]]

    /// Runs `body` with all three services.
    static func with(
        options: [String: [String]] = [:], isolation: isolated (any Actor)? = #isolation,
        _ body: (SearchStack) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { root in
            try await connected(root, "feed") { feed in
                try await connected(root, "comments") { comments in
                    try await connected(root, "search") { search in
                        let stack = SearchStack(root, feed, comments, search, options)
                        defer { for program in stack.programs.values { program.send(SIGKILL) } }
                        for name in ["feed", "comments", "search"] { try await stack.start(name) }
                        try await body(stack)
                    }
                }
            }
        }
    }

    /// A client of a service, and the number of changes that it has noticed.
    struct Connection {
        let client: RPCClient
        let changes: Watched<Int>
    }

    private static func connected(
        _ root: String, _ name: String, isolation: isolated (any Actor)? = #isolation,
        _ body: (Connection) async throws -> Void
    ) async throws {
        let changes = Watched(0)
        let client = await RPCClient.make(
            to: try SocketPath("\(root)/run/\(name).sock"), as: "test", onChange: { _ in changes.withLock { $0 += 1 } })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await client.run() }
            defer { group.cancelAll() }
            try await body(Connection(client: client, changes: changes))
        }
    }

    private init(
        _ root: String, _ feed: Connection, _ comments: Connection, _ search: Connection, _ options: [String: [String]]
    ) {
        self.options = options
        (self.root, self.feed, self.comments, self.search) = (root, feed, comments, search)
    }

    func start(_ name: String) async throws {
        let sockets =
            name == "search"
            ? ["--feed-socket", "\(root)/run/feed.sock", "--comments-socket", "\(root)/run/comments.sock"] : []
        let program = try Program(name + "-service").start(
            ["--root", root] + sockets + (options[name] ?? []), errors: nil)
        programs[name] = program
        guard await program.errors.wait(for: "serving on") else { throw NotReady(report: program.errors.text) }
    }

    struct NotReady: Error {
        let report: String
    }

    /// Kills a service with SIGKILL.
    func kill(_ name: String) async {
        programs[name]?.send(SIGKILL)
        _ = await programs[name]?.ended()
    }

    // MARK: Calls

    /// Calls again while the service is starting: the client has noticed that its socket was gone.
    func answer<Params, Answer>(
        of service: Connection, _ method: RPC.Method<Params, Answer>, _ params: Params
    ) async throws -> Answer {
        while true {
            let changes = service.changes.withLock { $0 }
            do throws(RPCError) {
                return try await service.client.call(method, params)
            } catch {
                guard error.kind == .unavailable else { throw error }
                // A call that had begun has lost its connection, and the next one waits. Otherwise calls fail until a change.
                if !error.begun { await service.changes.wait { $0 != changes } }
                try Task.checkCancellation()
            }
        }
    }

    func publish(_ items: FeedItem...) async throws {
        _ = try await answer(of: feed, FeedContract.publish, PublishedItems(items: items))
    }

    func remove(_ id: UUID) async throws {
        _ = try await answer(of: feed, FeedContract.remove, RemovedItems(ids: [id]))
    }

    func comment(_ image: UUID, _ message: String, by author: String = "ana", id: UUID = UUID()) async throws {
        let post = PostComment(imageID: image, message: message, username: author, id: id)
        _ = try await answer(of: comments, CommentsContract.post, post)
    }

    func removeComment(_ id: UUID) async throws {
        _ = try await answer(of: comments, CommentsContract.remove, CommentSelection(id: id))
    }

    func readComments(of image: UUID) async throws {
        _ = try await answer(of: comments, CommentsContract.list, ListComments(imageID: image))
    }

    /// The ids of all results, page by page.
    func find(_ query: String, tags: [String] = []) async throws -> [UUID] {
        var (ids, cursor) = ([UUID](), String?.none)
        repeat {
            let page = try await answer(
                of: search,
                SearchContract.items, SearchItems(query: query, tags: tags, limit: 100, after: cursor))
            ids += page.items.map(\.imageID)
            cursor = page.nextAfter
        } while cursor != nil
        return ids
    }

    /// Waits until the index, which follows the services after they have answered, finds these images.
    func wait(for query: String, _ expected: [UUID]) async throws {
        try await eventually { Set(try await find(query)) == Set(expected) }
    }
}

extension FeedItem {
    /// An item with a readable id.
    init(_ number: Int, _ description: String, location: String? = nil, tags: [String] = []) {
        self.init(
            id: UUID(number), description: description, location: location, image: "urn:x:\(number)", tags: tags)
    }
}
