import EdgeModel
import Feed
import FeedContract
import Foundation
import RPC
import RPCTestKit
import Synchronization
import Testing

@testable import feed_service

/// Random schedules of readers, of publishing and removing at the upstream, of upstream failures, and of restarts of
/// the edge.
@Suite struct EdgeScheduleTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var republishes = false
        var expires = false
        var announces = false
    }

    static let kinds = [
        Kind(testDescription: "an honest upstream"), Kind(testDescription: "runs that expire", expires: true),
        Kind(testDescription: "items that move", republishes: true),
        Kind(testDescription: "removals that events tell of", republishes: true, expires: true, announces: true),
    ]

    @Test(arguments: kinds, 1...20 as ClosedRange<UInt64>)
    func `a reader gets the upstream's items in order, once, and without gaps`(kind: Kind, seed: UInt64) async throws {
        try await withTemporaryDirectory { directory in
            var schedule = try Schedule(kind, seed: seed, directory)
            for _ in 1...120 { try await schedule.step() }
        }
    }
}

/// The upstream's state, shared with the fetch closure.
private final class Upstream: Sendable {
    struct State {
        var model = UpstreamModel(30)
        var isUp = true
    }

    let state = Mutex(State())

    func fetch(_ url: String, _ headers: [(name: String, value: String)]) throws -> UpstreamAnswer {
        try state.withLock { state in
            guard state.isUp else { throw URLError(.cannotConnectToHost) }
            let (limit, cursor) = FeedCursor.parse(url)
            guard let page = state.model.page(limit, at: cursor) else { return UpstreamAnswer(status: 400) }
            let etag = "\"\(page)\""
            if headers.contains(where: { $0.name == "If-None-Match" && $0.value == etag }) {
                return UpstreamAnswer(status: 304)
            }
            return .page(page, [("ETag", etag)])
        }
    }
}

private struct Reader {
    var cursor = FeedCursor.start
    var at: Int?
    var seen: [Int] = []
}

private struct Schedule {
    private let kind: EdgeScheduleTests.Kind
    private let directory: String
    private let upstream: Upstream
    private let clock = TestClock()
    private var rig: EdgeRig
    private var random: SeededRandom
    private var readers = [Reader(), Reader(), Reader()]

    /// The positions of items, present or removed, that have never moved.
    private var original: [Int: Int] = [:]
    private var fetched: Set<Int> = []
    private var history: [String] = []

    init(_ kind: EdgeScheduleTests.Kind, seed: UInt64, _ directory: String) throws {
        (self.kind, self.directory) = (kind, directory)
        random = SeededRandom(seed: seed)
        let upstream = Upstream()
        self.upstream = upstream
        rig = try EdgeRig(directory, clock: clock, isDurable: false) { try upstream.fetch($0, $1) }
    }

    mutating func step() async throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0...2: change("publish") { model, _ in model.publish() }
        case 3...5:
            let removed = change("remove") { model, number in model.remove(number) }
            guard kind.announces, Bool.random(using: &random) else { break }
            history.append("told")
            _ = try await rig.cache.remove([UUID(number: removed)], at: clock.now)
            #expect(try await rig.cache.item(UUID(number: removed)) == nil, "\(history)")
            try await rig.cache.checkIntegrity()
        case 6 where kind.republishes: change("republish") { model, number in model.republish(number) }
        case 7: upstream.state.withLock { $0.isUp.toggle() }
        case 8:
            try rig.store.close()
            let upstream = upstream
            rig = try EdgeRig(directory, clock: clock, isDurable: false) { try upstream.fetch($0, $1) }
        case 9 where kind.expires:
            clock.advance(Double.random(in: 0...400_000, using: &random))
            if Bool.random(using: &random) { _ = try await rig.validation.validate() }
        default:
            clock.advance(1)
            try await read(Int.random(in: readers.indices, using: &random))
        }
        let model = upstream.state.withLock(\.model)
        for (number, position) in model.positions where !model.republished.contains(number) {
            original[number] = position
        }
        for number in model.republished { original[number] = nil }
        #expect(rig.faults.all == [], "\(history)")
    }

    @discardableResult
    private mutating func change(_ name: String, _ change: (inout UpstreamModel, Int) -> Void) -> Int {
        let number = upstream.state.withLock { state in
            // Mostly near the top, where most readers are.
            let numbers = state.model.numbers
            let number = numbers.prefix(Int.random(in: 1...30, using: &random)).randomElement(using: &random) ?? 1
            change(&state.model, number)
            return number
        }
        history.append("\(name) \(number)")
        return number
    }

    private mutating func read(_ index: Int) async throws {
        var reader = readers[index]
        let model = upstream.state.withLock(\.model)
        // A reader whose cursor has moved starts again elsewhere.
        if Int.random(in: 0..<8, using: &random) == 0 || reader.at.map(model.republished.contains) == true {
            reader = Reader()
        }
        let limit = Int.random(in: 1...7, using: &random)
        let upwards = reader.at.flatMap { Int.random(in: 0..<6, using: &random) == 0 ? $0 : nil }
        let cursor = upwards.map(FeedCursor.before) ?? reader.cursor

        let answer: LoadedFeed
        do {
            answer = try await rig.load(limit, at: cursor)
        } catch let error as RPCError {
            history.append("\(index): \(limit) \(cursor) \(error.kind)")
            #expect(error.kind == .connectivity, "\(error) \(history)")
            readers[index] = reader
            return
        }
        history.append(
            "\(index): \(limit) \(reader.at ?? 0) \(upwards.map { "before \($0)" } ?? "") \(answer.origin) \(answer.numbers)"
        )
        let numbers = answer.numbers
        #expect(Set(numbers).count == numbers.count, "\(history)")
        #expect(numbers.count <= limit, "\(history)")
        if answer.origin == .remote {
            #expect(answer.notices == nil, "\(history)")
            #expect(numbers == model.page(limit, at: cursor), "\(history)")
            #expect(numbers.allSatisfy { model.positions[$0] != nil }, "\(history)")
            #expect(numbers == numbers.sorted { model.position($0) > model.position($1) }, "\(history)")
            fetched.formUnion(numbers)
        }
        #expect(fetched.isSuperset(of: numbers), "\(history)")
        let row = upwards.map { numbers + [$0] } ?? (reader.at.map { [$0] } ?? []) + numbers
        expectNoHole(in: row, model)
        if upwards == nil {
            #expect(Set(numbers).isDisjoint(with: reader.seen), "\(history)")
            reader.seen += numbers
            if let last = numbers.last { (reader.cursor, reader.at) = (.after(last), last) }
            if answer.nextAfterID == nil { expectEnd(after: row.last, model) }
        }
        readers[index] = reader
    }

    /// Checks that items which were between two served items throughout the walk were served too.
    private func expectNoHole(in row: [Int], _ model: UpstreamModel) {
        for (first, second) in zip(row, row.dropFirst()) {
            guard let high = original[first], let low = original[second] else { continue }
            #expect(high > low, "\(history)")
            let missed = model.positions.filter { low < $0.value && $0.value < high && original[$0.key] != nil }
            #expect(missed.isEmpty, "\(history)")
        }
    }

    private func expectEnd(after last: Int?, _ model: UpstreamModel) {
        guard let last else { return }
        guard let low = original[last] else { return }
        #expect(model.positions.filter { $0.value < low && original[$0.key] != nil }.isEmpty, "\(history)")
    }
}
