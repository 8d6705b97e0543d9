import Comments
import EdgeModel
import Foundation
import Synchronization

@testable import comments_service

/// An upstream behind `UpstreamFetch` with scripted answers.
final class ScriptedUpstream: Sendable {
    typealias Script = @Sendable () async throws -> UpstreamAnswer

    private struct State {
        var script: Script
        var requests: [[String: String]] = []
        var watchers: [AsyncStream<Void>.Continuation] = []
    }

    private let state: Mutex<State>

    init(_ script: @escaping Script) { state = Mutex(State(script: script)) }

    /// The headers of all requests.
    var requests: [[String: String]] { state.withLock(\.requests) }

    /// Sets the script for the following requests.
    func answer(_ script: @escaping Script) { state.withLock { $0.script = script } }

    var fetch: UpstreamFetch {
        { _, headers in
            let (script, watchers) = self.state.withLock { state in
                state.requests.append(Dictionary(uniqueKeysWithValues: headers.map { ($0.name, $0.value) }))
                return (state.script, state.watchers)
            }
            for watcher in watchers { watcher.yield() }
            return try await script()
        }
    }

    /// Waits until this many requests have arrived.
    func wait(requests count: Int) async {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.watchers.append(continuation) }
        if requests.count >= count { return }
        for await _ in changes where requests.count >= count { return }
    }
}

/// No server listens.
struct Unreachable: Error, CustomStringConvertible { let description = "no server listens" }

/// Never answers, and throws when it is cancelled.
func silence() async throws -> UpstreamAnswer {
    let (never, _) = AsyncStream.makeStream(of: Void.self)
    for await _ in never {}
    throw Unreachable()
}

extension UpstreamAnswer {
    /// An upstream's answer with these comments.
    static func list(_ numbers: [Int], on image: Int = 0, _ headers: [String: String] = [:]) -> UpstreamAnswer {
        let items = comments(numbers, on: image).map { comment in
            """
            {"id":"\(comment.id)","message":"\(comment.message)","created_at":"2026-03-01T12:00:00+0000",
            "author":{"username":"\(comment.username)"}}
            """
        }
        return .status(200, #"{"items":[\#(items.joined(separator: ","))]}"#, headers)
    }

    static func status(_ status: Int, _ body: String = "", _ headers: [String: String] = [:]) -> UpstreamAnswer {
        UpstreamAnswer(status: status, headers: headers.map { ($0.key, $0.value) }, body: Data(body.utf8))
    }
}
