import CommentsContract
import FeedContract
import Foundation
import RPC
import RPCTestKit
import SearchContract

/// The real services feed, comments and search in a temporary root. Search follows the two directly.
final class SearchStack {
    let root: String
    let feed: RPCClient
    let comments: RPCClient
    let search: RPCClient
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

    private static func connected(
        _ root: String, _ name: String, isolation: isolated (any Actor)? = #isolation,
        _ body: (RPCClient) async throws -> Void
    ) async throws {
        let path = try SocketPath("\(root)/run/\(name).sock")
        try await RPCClient.withConnection(to: path, as: "test") { try await body($0) }
    }

    private init(
        _ root: String, _ feed: RPCClient, _ comments: RPCClient, _ search: RPCClient, _ options: [String: [String]]
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
        of service: RPCClient, _ method: RPC.Method<Params, Answer>, _ params: Params
    ) async throws -> Answer {
        for _ in 0..<500 {
            do throws(RPCError) {
                return try await service.call(method, params)
            } catch {
                guard error.kind == .unavailable else { throw error }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        return try await service.call(method, params)
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

    /// Asks again until the condition is met: the index follows the services after they have answered.
    func wait(
        isolation: isolated (any Actor)? = #isolation, until isMet: () async throws -> Bool
    ) async throws {
        for _ in 0..<3_000 {
            if try await isMet() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw NotReady(report: programs["search"]?.errors.text ?? "")
    }

    func wait(for query: String, _ expected: [UUID]) async throws {
        try await wait { Set(try await find(query)) == Set(expected) }
    }
}

extension FeedItem {
    /// An item with a readable id.
    init(_ number: Int, _ description: String, location: String? = nil, tags: [String] = []) {
        self.init(
            id: UUID(number), description: description, location: location, image: "urn:x:\(number)", tags: tags)
    }
}
