import EdgeModel
import Feed
import FeedContract
import Foundation
import RPC
import RPCTestKit
import Synchronization
import Testing

@testable import feed_service

/// Whatever an upstream answers, an offline edge serves only what the upstream has stated.
struct UpstreamStatementsTests {
    /// The faults of an upstream.
    enum Fault: String, CaseIterable, Sendable {
        case none, republishes, ignoresBefore, ignoresAfter, ignoresLimit, sendsNoLinks, drops, repeats, reorders, lies
        case pagesByNumber
        /// No fault: half of the removals are events, too.
        case announces
    }

    /// Seeds that failed in the past.
    static let failed: [UInt64] = [11, 12, 14, 16, 19, 40, 84, 121, 171, 914, 939, 945]

    static let seeds = failed + (1...ModelSeeds.count(usual: 10)).map(UInt64.init)

    @Test(arguments: Fault.allCases)
    func `an offline answer contains only statements of the upstream`(fault: Fault) async throws {
        for seed in Self.seeds {
            try await withTemporaryDirectory { directory in
                var run = try StatementsRun(fault, seed: seed, directory)
                for _ in 1...40 where !run.hasFailed { try await run.step() }
            }
        }
    }
}

/// An upstream with a fault, and its statements.
private final class FaultyUpstream: Sendable {
    struct State {
        var order: [Int] = [6, 5, 4, 3, 2, 1]
        var tombstones: [Int: [Int]] = [:]
        var last = 6
        var isUp = true
        var statements = UpstreamStatements()
        var random: SeededRandom
        var history: [String] = []

        /// The items' texts change with each answer.
        mutating func numberedPage(_ url: String) -> UpstreamAnswer {
            let query = URLComponents(string: url)?.queryItems ?? []
            func value(_ name: String) -> Int { query.first { $0.name == name }?.value.flatMap(Int.init) ?? 1 }
            if Bool.random(using: &random) {
                last += 1
                order.insert(last, at: 0)
            }
            let page = order.dropFirst((value("page") - 1) * value("limit")).prefix(value("limit"))
            history.append("page \(value("page")) of \(value("limit")): \(page)")
            return .page(Array(page), image: "https://pictures.example/\(history.count)")
        }
    }

    let fault: UpstreamStatementsTests.Fault
    let state: Mutex<State>

    init(_ fault: UpstreamStatementsTests.Fault, seed: UInt64) {
        self.fault = fault
        state = Mutex(State(random: SeededRandom(seed: seed)))
    }

    /// - Returns: the item that was removed.
    func change() -> Int? {
        state.withLock { state in
            switch Int.random(in: 0..<4, using: &state.random) {
            case 0:
                state.last += 1
                state.order.insert(state.last, at: 0)
            case 1:
                // An edge whose upstream ignores `before_id` cannot tell a removed cursor from a last item that was
                // published again. So this upstream removes nothing.
                guard !state.order.isEmpty, fault != .ignoresBefore else { return nil }
                let removed = state.order.remove(at: Int.random(in: state.order.indices, using: &state.random))
                state.history.append("now \(state.order)")
                return removed
            case 2 where fault == .republishes || fault == .lies:
                guard let number = state.order.randomElement(using: &state.random) else { return nil }
                state.order.removeAll { $0 == number }
                state.order.insert(number, at: 0)
            case 2 where fault == .drops: state.order.removeLast(min(2, state.order.count))
            case 2 where fault == .reorders: state.order.shuffle(using: &state.random)
            default: return nil
            }
            state.history.append("now \(state.order)")
            return nil
        }
    }

    func fetch(_ url: String) throws -> UpstreamAnswer {
        try state.withLock { state in
            guard state.isUp else { throw URLError(.cannotConnectToHost) }
            if fault == .pagesByNumber { return state.numberedPage(url) }
            var (limit, cursor) = FeedCursor.parse(url)
            let asked = cursor
            if fault == .ignoresBefore, !cursor.isDownward { cursor = .start }
            if fault == .ignoresAfter, cursor.isDownward { cursor = .start }
            if fault == .ignoresLimit { limit = 100 }
            guard var page = page(limit, at: cursor, state.order) else { return UpstreamAnswer(status: 400) }
            let isLast = cursor.isDownward && (page.isEmpty || page.last == state.order.last)
            if fault == .repeats, let number = state.order.randomElement(using: &state.random), !page.isEmpty {
                page.insert(number, at: Int.random(in: 0...page.count, using: &state.random))
            }
            if fault == .lies {
                page = Array(
                    state.order.shuffled(using: &state.random).prefix(Int.random(in: 0...4, using: &state.random)))
            }
            var seen: Set<Int> = []
            let said = page.filter { seen.insert($0).inserted }
            let hasLinks = ![.sendsNoLinks, .drops, .lies, .repeats].contains(fault)
            state.statements.add(
                said, at: asked, honoured: asked.isDownward || cursor == asked,
                isLast: asked.isDownward && (said.isEmpty || hasLinks && isLast))
            state.history.append("\(asked.text) \(limit): \(page)\(hasLinks && isLast ? " last" : "")")
            let link = isLast ? #"<x>; rel="prev""# : #"<x>; rel="next""#
            return .page(page, hasLinks ? [("Link", link)] : [])
        }
    }

    /// Nil for a cursor that is not an item: this upstream has no tombstones.
    private func page(_ limit: Int, at cursor: FeedCursor, _ order: [Int]) -> [Int]? {
        guard let id = cursor.id else { return Array(order.prefix(limit)) }
        guard let index = order.firstIndex(where: { UUID(number: $0) == id }) else { return nil }
        return cursor.isDownward ? Array(order[(index + 1)...].prefix(limit)) : Array(order[..<index].suffix(limit))
    }
}

private struct StatementsRun {
    private let fault: UpstreamStatementsTests.Fault
    private let seed: UInt64
    private let upstream: FaultyUpstream
    private let clock = TestClock()
    private let rig: EdgeRig
    private var random: SeededRandom
    private var seen: [Int] = []

    /// Only the first failure is reported.
    private(set) var hasFailed = false

    init(_ fault: UpstreamStatementsTests.Fault, seed: UInt64, _ directory: String) throws {
        (self.fault, self.seed) = (fault, seed)
        random = SeededRandom(seed: seed &+ 7)
        let upstream = FaultyUpstream(fault, seed: seed)
        self.upstream = upstream
        rig = try EdgeRig(directory, clock: clock, isDurable: false, isNumbered: fault == .pagesByNumber) { url, _ in
            try upstream.fetch(url)
        }
    }

    mutating func step() async throws {
        clock.advance(1)
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3:
            guard let removed = upstream.change(), fault == .announces, Bool.random(using: &random) else { break }
            _ = try await rig.cache.remove([UUID(number: removed)], at: clock.now)
            #expect(try await rig.cache.item(UUID(number: removed)) == nil)
            upstream.state.withLock { state in
                state.statements.remove(removed)
                state.history.append("removed \(removed)")
            }
        case 4: try await walkOffline()
        default: try await read()
        }
        #expect(rig.faults.all == [], "\(context)")
    }

    private mutating func read() async throws {
        let cursor: FeedCursor =
            switch (Int.random(in: 0..<3, using: &random), seen.randomElement(using: &random)) {
            case (0, _), (_, nil): .start
            case (1, let number?): .after(number)
            case (_, let number?): .before(number)
            }
        guard let page = try? await rig.load(Int.random(in: 1...4, using: &random), at: cursor) else { return }
        #expect(Set(page.numbers).count == page.numbers.count, "\(context)")
        seen += page.numbers
    }

    /// Walks down from the start and from every item, and up from every item.
    private mutating func walkOffline() async throws {
        upstream.state.withLock { $0.isUp = false }
        defer { upstream.state.withLock { $0.isUp = true } }
        let edge = UpstreamStatements.edge
        let statements = upstream.state.withLock(\.statements)
        for number in [edge] + Set(seen).sorted() {
            var (row, cursor) = ([number], number == edge ? FeedCursor.start : .after(number))
            while let page = try? await rig.load(2, at: cursor) {
                #expect(page.origin == .cache)
                #expect(row.count + page.numbers.count <= 100, "an endless walk: \(row) \(context)")
                if row.count > 100 { break }
                row += page.numbers
                guard let last = page.nextAfterID?.number else {
                    row.append(edge)
                    break
                }
                cursor = .after(last)
            }
            expectSaid(row, statements)
            if hasFailed { return }
            guard number != edge, let above = try? await rig.load(3, at: .before(number)), above.origin == .cache else {
                continue
            }
            // No answer states what is above the former place of a removed item.
            let isItem = try await rig.feed.cache.item(UUID(number: number)) != nil
            expectSaid(above.numbers + (isItem ? [number] : []), statements)
        }
    }

    private mutating func expectSaid(_ row: [Int], _ statements: UpstreamStatements) {
        let inner = row.filter { $0 != UpstreamStatements.edge }
        #expect(Set(inner).count == inner.count, "\(row) repeats an item. \(context)")
        // The statements do not say which of two numbered pages was read before the feed changed.
        if fault == .pagesByNumber { return }
        for (first, second) in zip(row, row.dropFirst()) {
            // An offline feed begins with the newest item that is known to be at the top.
            if first == UpstreamStatements.edge, second != first { continue }
            guard statements.state(second, follows: first) else {
                Issue.record("\(first) → \(second) in \(row) was never stated. \(context)")
                hasFailed = true
                return
            }
        }
    }

    private var context: String {
        "\(fault) \(seed): " + upstream.state.withLock { $0.history.joined(separator: "; ") }
    }
}

extension FeedCursor {
    fileprivate var text: String {
        let number = id.map { "\($0.number)" } ?? ""
        return switch self {
        case .start: "first"
        case .after: "after \(number)"
        case .before: "before \(number)"
        }
    }
}
