import Comments
import Foundation
import RPCTestKit
import Testing

@Suite struct CommentPlacesTests {
    @Test(arguments: [
        ("", "", ""), ("", "1 2", "1 2"), ("1 2", "1 2", "1 2"), ("1 2", "1 2 3", "1 2 3"),
        // A removed comment stays after its predecessor.
        ("1 2 3", "1 3", "1 -2 3"), ("1 2 3", "2 3", "-1 2 3"), ("1 2 3", "1 2", "1 2 -3"), ("1 2", "", "-1 -2"),
        ("1 -2 3", "1 3 4", "1 -2 3 4"), ("1 -2 3", "3 4", "-1 -2 3 4"), ("1 -2 3", "1 2 3", "1 2 3"),
        ("1 2 -3", "1 4", "1 -2 -3 4"), ("1 2", "5 1 6", "5 1 -2 6"), ("1 2 3", "3 1", "3 1 -2"),
        ("1 2", "7 8", "-1 -2 7 8"),
    ])
    func `removed comments keep their places in a new answer`(before: String, answer: String, after: String) {
        let places = CommentPlaces.replacing(places(before), by: places(answer).map(\.id), answer: 9)
        #expect(text(places) == after)
    }

    @Test func `a place has the number of the answer that removed it`() {
        var places = CommentPlaces.replacing([], by: [UUID(number: 1), UUID(number: 2)], answer: 1)
        places = CommentPlaces.replacing(places, by: [UUID(number: 1)], answer: 2)
        places = CommentPlaces.replacing(places, by: [], answer: 3)
        #expect(places.map(\.goneSince) == [3, 2])
    }

    @Test(arguments: [0, 1]) func `only the places that were removed last are stored`(excess: Int) {
        let old = (1...CommentPlaces.maximumGone + excess).map {
            CommentPlace(id: UUID(number: $0), goneSince: Int64($0))
        }
        let places = CommentPlaces.replacing(old, by: [], answer: 9_999)
        #expect(places == Array(old.dropFirst(excess)))
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func `the order of the answer never changes`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var places: [CommentPlace] = []
        for turn in 1...200 {
            let answer = (1...20).filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
            places = CommentPlaces.replacing(places, by: answer.map(UUID.init(number:)), answer: Int64(turn))
            #expect(places.filter { $0.goneSince == nil }.map(\.id) == answer.map(UUID.init(number:)))
            #expect(Set(places.map(\.id)).count == places.count)
        }
    }

    /// `1 -2 3`: the second comment is removed.
    private func places(_ text: String) -> [CommentPlace] {
        text.split(separator: " ").compactMap { Int($0) }
            .map { CommentPlace(id: UUID(number: abs($0)), goneSince: $0 < 0 ? 1 : nil) }
    }

    private func text(_ places: [CommentPlace]) -> String {
        places.map { ($0.goneSince == nil ? "" : "-") + "\($0.id.number)" }
            .joined(separator: " ")
    }
}
