import Comments
import EdgeModel
import Foundation
import RPCTestKit
import Timing

@testable import comments_service

/// An upstream behind `UpstreamFetch` with scripted answers.
final class ScriptedUpstream: Sendable {
    typealias Script = @Sendable () async throws -> UpstreamAnswer

    private struct State {
        var script: Script
        var requests: [[String: String]] = []
    }

    private let state: Watched<State>

    init(_ script: @escaping Script) { state = Watched(State(script: script)) }

    /// The headers of all requests.
    var requests: [[String: String]] { state.withLock(\.requests) }

    /// Sets the script for the following requests.
    func answer(_ script: @escaping Script) { state.withLock { $0.script = script } }

    var fetch: UpstreamFetch {
        { _, headers in
            let script = self.state.withLock { state in
                state.requests.append(Dictionary(uniqueKeysWithValues: headers.map { ($0.name, $0.value) }))
                return state.script
            }
            return try await script()
        }
    }

    /// Waits until this many requests have arrived.
    func wait(requests count: Int) async { await state.wait { $0.requests.count >= count } }
}

/// No server listens.
struct Unreachable: Error, CustomStringConvertible { let description = "no server listens" }

/// Never answers, and throws when it is cancelled.
func silence() async throws -> UpstreamAnswer {
    await waitForCancellation()
    throw Unreachable()
}

extension UpstreamAnswer {
    /// An upstream's answer with these comments.
    static func list(_ numbers: [Int], on image: Int = 0, _ headers: [String: String] = [:]) -> UpstreamAnswer {
        let items = comments(numbers, on: image).map { comment in
            """
            {"id":"\(comment.id)","message":"\(comment.message)","created_at":"2026-03-01T12:00:00Z",
            "author":{"username":"\(comment.username)"}}
            """
        }
        return .status(200, #"{"items":[\#(items.joined(separator: ","))]}"#, headers)
    }

    static func status(_ status: Int, _ body: String = "", _ headers: [String: String] = [:]) -> UpstreamAnswer {
        UpstreamAnswer(status: status, headers: headers.map { ($0.key, $0.value) }, body: Data(body.utf8))
    }
}
