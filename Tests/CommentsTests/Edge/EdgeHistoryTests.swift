import Comments
import CommentsContract
import EdgeModel
import Foundation
import RPC
import RPCTestKit
import Synchronization
import Testing

@testable import comments_service

/// Random sequences of requests, changes, failures and restarts: each served page is part of an answer of the upstream.
@Suite struct EdgeHistoryTests {
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `each served page is part of an answer of the upstream, in its order`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let origin = ChangingOrigin()
        try await TestedEdge.with {
            origin.answer()
        } _: { edge in
            // Sometimes the store is opened again.
            var current = edge
            edge.upstream.answer {
                try origin.answering(edge.upstream.requests.last?["If-None-Match"])
            }
            for _ in 1...150 {
                switch Int.random(in: 0...9, using: &random) {
                case 0...2: origin.change(using: &random)
                case 3: origin.setFailure(Int.random(in: 0...3, using: &random))
                case 4: origin.setFailure(nil)
                case 5: try await edge.setWriting(works: Bool.random(using: &random))
                case 6: current = TestedEdge(edge.upstream, edge.pool)
                default: try await read(current, origin, &random)
                }
            }
        }
    }

    /// Reads all pages while nothing changes, and expects one whole answer.
    private func read(_ edge: TestedEdge, _ origin: ChangingOrigin, _ random: inout SeededRandom) async throws {
        var (seen, cursor, pages) = ([Int](), Int?.none, 0)
        while pages == 0 || cursor != nil {
            do {
                let page = try await edge.list(limit: Int.random(in: 1...6, using: &random), after: cursor)
                seen += page.numbers
                cursor = page.nextAfterID == nil ? nil : page.numbers.last
                pages += 1
            } catch let error as RPCError where error.kind == .connectivity && pages == 0 {
                #expect(origin.isFailing)
                return
            }
        }
        #expect(origin.answers.contains(seen), "served \(seen)")
        if !origin.isFailing { #expect(seen == origin.answers.last) }
    }
}

/// An upstream whose comments change and which fails in several ways.
private final class ChangingOrigin: Sendable {
    private struct State {
        var numbers: [Int] = []
        var last = 0
        var failure: Int?
        /// The answers given so far.
        var answers: [[Int]] = []
    }

    private let state = Mutex(State())

    var answers: [[Int]] { state.withLock(\.answers) }
    var isFailing: Bool { state.withLock { $0.failure != nil } }

    func setFailure(_ failure: Int?) { state.withLock { $0.failure = failure } }

    func change(using random: inout SeededRandom) {
        let (draw, isRemoval) = (UInt64.random(in: 0 ... .max, using: &random), Bool.random(using: &random))
        state.withLock { state in
            if isRemoval, !state.numbers.isEmpty {
                state.numbers.remove(at: Int(draw % UInt64(state.numbers.count)))
            } else {
                state.last += 1
                state.numbers.append(state.last)
            }
        }
    }

    func answer(_ known: String? = nil) -> UpstreamAnswer {
        let numbers = state.withLock { state in
            state.answers.append(state.numbers)
            return state.numbers
        }
        let etag = "\(numbers)"
        return known == etag ? .status(304) : .list(numbers, ["ETag": etag])
    }

    func answering(_ known: String?) throws -> UpstreamAnswer {
        switch state.withLock(\.failure) {
        case nil: return answer(known)
        case 0: throw Unreachable()
        case 1: return .status(503)
        case 2: return .status(200, #"{"items":[{"id":null}]}"#)
        default: return .status(204)
        }
    }
}
