import Foundation
import RPCTestKit
import Search
import Testing

@testable import search_service

/// The order of the images after walks through the feed: resets in the middle, images that are published again or sent twice.
@Suite struct IndexOrderTests {
    private func image(_ number: Int) -> SearchableImage { SearchableImage(number, "sea") }

    @Test("a reset during the first walk leaves the order of the feed", arguments: 0...10)
    func interrupted(read: Int) async throws {
        try await TestedIndex.with { tested in
            try await tested.apply(.feedReset)
            if read > 0 { try await tested.walk((1...read).map { (image($0), []) }, isLast: false) }
            try await tested.apply(.feedReset)
            try await tested.publish(image(11))
            for part in [1...3, 4...10] {
                try await tested.walk(
                    (part.lowerBound == 1 ? [(image(11), [])] : []) + part.map { (image($0), []) },
                    isLast: part.upperBound == 10)
            }
            #expect(try await tested.find("") == ([11] + Array(1...10)).map { UUID($0) })
        }
    }

    @Test(
        "images that a reader of an edge scrolls to are older than all others, and stay so", arguments: [false, true])
    func found(isDuringWalk: Bool) async throws {
        try await TestedIndex.with { tested in
            try await tested.apply(.feedReset)
            try await tested.walk([9, 8].map { (image($0), []) }, isLast: !isDuringWalk, isWhole: false)
            try await tested.apply(
                .found([image(5), image(4)]), .published([image(10)]), .found([image(4), image(3)]))
            if isDuringWalk { try await tested.walk([7, 6].map { (image($0), []) }, isWhole: false) }
            let walked = isDuringWalk ? [10, 9, 8, 7, 6] : [10, 9, 8]
            #expect(try await tested.find("") == (walked + [5, 4, 3]).map { UUID($0) })
            // A later walk reaches one of them.
            try await tested.apply(.feedReset)
            try await tested.walk((walked + [5]).map { (image($0), []) }, isWhole: false)
            #expect(try await tested.find("") == (walked + [5, 4, 3]).map { UUID($0) })
            try await tested.apply(.removed([UUID(5)]))
            #expect(try await tested.find("") == (walked + [4, 3]).map { UUID($0) })
        }
    }

    @Test("an image that was published after a reset is newer than those that the walk has missed")
    func publishedBeforeWalk() async throws {
        try await TestedIndex.with { tested in
            try await tested.publish(image(1))
            try await tested.apply(.feedReset)
            try await tested.publish(image(4))
            try await tested.walk([4, 3, 2, 1].map { (image($0), []) })
            #expect(try await tested.find("") == [4, 3, 2, 1].map { UUID($0) })
        }
    }

    @Test("any number of walks can find images that are newer than all")
    func manyWalks() async throws {
        try await TestedIndex.with { tested in
            // Each leaves a gap, so the numbers become negative.
            for number in 1...43 {
                try await tested.apply(.feedReset)
                try await tested.walk((1...number).reversed().map { (image($0), []) })
            }
            let all = (1...43).reversed().map { UUID($0) }
            #expect(try await tested.find("") == all)
            #expect(try await tested.find("sea", pages: 10) == all)
        }
    }

    @Test("a walk finds images that are newer than those published after its reset", arguments: [[], [1], [1, 2]])
    func publishedWhileWalkBegins(indexed: [Int]) async throws {
        try await TestedIndex.with { tested in
            for number in indexed { try await tested.publish(image(number)) }
            try await tested.apply(.feedReset)
            try await tested.publish(image(3))
            try await tested.publish(image(4))
            // 5 and 6 were published before the page was read, and their events are applied after it.
            try await tested.walk([6, 5, 4, 3, 2, 1].map { (image($0), []) }, isLast: false)
            try await tested.publish(image(5))
            try await tested.publish(image(6))
            try await tested.publish(image(7))
            try await tested.walk([(image(0), [])])
            #expect(try await tested.find("") == [7, 6, 5, 4, 3, 2, 1, 0].map { UUID($0) })
        }
    }

    @Test(
        "an image that was published again has its new place after a walk",
        arguments: [
            [4, 0, 1, 2, 3, 5], [5, 9, 0, 1, 2, 3, 4], [5, 4, 3, 2, 1, 0], [1, 0, 2, 3, 4, 5], [9, 8, 5, 7, 0],
        ])
    func publishedAgain(order: [Int]) async throws {
        try await TestedIndex.with { tested in
            for number in (0...5).reversed() { try await tested.publish(image(number)) }
            try await tested.comment(image(4), "sun")
            try await tested.apply(.feedReset)
            try await tested.walk(order.map { (image($0), []) })
            #expect(try await tested.find("") == order.map { UUID($0) })
            #expect(try await tested.find("sun ") == (order.contains(4) ? [UUID(4)] : []))
        }
    }

    @Test("an image whose removal was missed is the newest when it is published again", arguments: [false, true])
    func publishedAgainAfterReset(isBeforeWalk: Bool) async throws {
        try await TestedIndex.with { tested in
            for number in 1...3 { try await tested.publish(image(number)) }
            try await tested.comment(image(2), "sun")
            try await tested.apply(.feedReset)
            if isBeforeWalk { try await tested.apply(.published([image(2)])) }
            try await tested.walk([2, 3, 1].map { (image($0), []) })
            if !isBeforeWalk { try await tested.apply(.published([image(2)])) }
            #expect(try await tested.find("") == [2, 3, 1].map { UUID($0) })
            #expect(try await tested.find("sun ") == [UUID(2)])
        }
    }

    @Test("an image that the feed sends twice has its first place", arguments: [true, false])
    func sentTwice(inOneTransaction: Bool) async throws {
        try await TestedIndex.with { tested in
            try await tested.apply(.feedReset)
            let images = [1, 2, 1, 3].map { (SearchableImage($0, "sea"), [SearchableComment]?.some([])) }
            let parts = inOneTransaction ? [images] : images.map { [$0] }
            for (place, part) in parts.enumerated() {
                try await tested.walk(part, isLast: place == parts.count - 1)
            }
            #expect(try await tested.find("") == [1, 2, 3].map { UUID($0) })
        }
    }

    @Test(
        "an image that the feed sends again between new ones keeps its place, and the others get numbers of their own")
    func sentAgain() async throws {
        try await TestedIndex.with { tested in
            func image(_ number: Int) -> (SearchableImage, [SearchableComment]?) {
                (SearchableImage(number, "sea"), [])
            }
            try await tested.apply(.feedReset)
            try await tested.walk((1...5).map(image))
            try await tested.apply(.removed([2, 3, 4].map { UUID($0) }), .feedReset)
            try await tested.walk([1, 90, 1, 91, 92, 5].map(image))
            #expect(try await tested.find("") == [1, 90, 91, 92, 5].map { UUID($0) })
        }
    }

    @Test("the order of the feed does not depend on the image at which a walk stops", arguments: [false, true])
    func removedBetween(isPublishedAgain: Bool) async throws {
        try await TestedIndex.with { tested in
            func images(_ numbers: some Sequence<Int>) -> [(SearchableImage, [SearchableComment]?)] {
                numbers.map { (SearchableImage($0, "sea"), []) }
            }
            try await tested.apply(.feedReset)
            try await tested.walk(images(1...5))
            // A second walk stops at 4; 5 to 9 are new.
            try await tested.apply(.removed([UUID(5)]), .feedReset)
            try await tested.walk(images(1...4), isLast: false)
            try await tested.apply(.removed([UUID(4)]))
            if isPublishedAgain { try await tested.publish(SearchableImage(4, "sea")) }
            try await tested.walk(images(5...9))
            #expect(
                try await tested.find("")
                    == ((isPublishedAgain ? [4] : []) + [1, 2, 3, 5, 6, 7, 8, 9]).map { UUID($0) })
        }
    }

    @Test(
        "walks in any order, with images sent twice, leave each image once and in order",
        arguments: 0..<ModelSeeds.count(usual: 8))
    func randomWalks(seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        try await TestedIndex.with { tested in
            for _ in 0..<6 {
                try await tested.apply(.feedReset)
                let sent = (0..<Int.random(in: 1...25, using: &random)).map { _ in
                    Int.random(in: 1...20, using: &random)
                }
                let cut = Int.random(in: 0...sent.count, using: &random)
                try await tested.walk(sent[..<cut].map { (SearchableImage($0, "sea \($0)"), []) }, isLast: false)
                // Removed, and sent later.
                let later = sent[cut...].filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
                var order: [Int] = []
                for number in sent[..<cut].filter({ !later.contains($0) }) + sent[cut...]
                where !order.contains(number) { order.append(number) }
                try await tested.apply(.removed(later.map { UUID($0) }))
                try await tested.walk(sent[cut...].map { (SearchableImage($0, "sea \($0)"), []) })
                #expect(try await tested.find("") == order.map { UUID($0) })
                for number in sent { #expect(try await tested.find("\"\(number)\"") == [UUID(number)]) }
            }
        }
    }

    @Test(
        "whenever events arrive and pages are read, the index has the order of the feed in the end",
        arguments: 0..<ModelSeeds.count(usual: 20))
    func lateEvents(seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        try await TestedIndex.with { tested in
            // The positions of images, also of removed ones, which are cursors.
            var (feed, positions, last) = ([Int](), [Int: Int](), 0)
            var (events, cursor) = ([IndexEvent.Change](), Int?.none)
            func change() {
                if let number = feed.randomElement(using: &random), Int.random(in: 0..<3, using: &random) == 0 {
                    feed.removeAll { $0 == number }
                    events.append(.removed([UUID(number)]))
                } else {
                    // Some were removed before.
                    let number = Int.random(in: 1...30, using: &random)
                    guard !feed.contains(number) else { return }
                    feed.insert(number, at: 0)
                    last += 1
                    positions[number] = last
                    events.append(.published([image(number)]))
                }
            }
            func deliver(_ count: Int) async throws {
                for event in events.prefix(count) { try await tested.apply(event) }
                events.removeFirst(min(count, events.count))
            }
            func reset() async throws {
                events = []
                cursor = nil
                try await tested.apply(.feedReset)
            }
            /// Reads pages while the feed changes, before it writes them.
            func walk() async throws {
                guard tested.progress.walk == .walking else { return }
                var pages: [[Int]] = []
                for _ in 0..<Int.random(in: 1...3, using: &random) where pages.last?.count ?? 3 == 3 {
                    let position = cursor.flatMap { positions[$0] } ?? .max
                    pages.append(Array(feed.filter { positions[$0] ?? 0 < position }.prefix(3)))
                    cursor = pages.last?.last ?? cursor
                    if Bool.random(using: &random) { change() }
                }
                for page in pages { try await tested.walk(page.map { (image($0), []) }, isLast: page.count < 3) }
            }
            try await reset()
            for _ in 0..<120 {
                switch Int.random(in: 0..<12, using: &random) {
                case 0..<4: change()
                case 4..<8: try await deliver(Int.random(in: 1...4, using: &random))
                case 8..<11: try await walk()
                default: try await reset()
                }
            }
            while tested.progress.walk == .walking { try await walk() }
            try await deliver(.max)
            #expect(try await tested.find("") == feed.map { UUID($0) })
        }
    }

    @Test("a walk over a part of a feed removes nothing")
    func partialWalk() async throws {
        try await TestedIndex.with { tested in
            try await tested.publish(SearchableImage(1, "sea"))
            try await tested.apply(.feedReset)
            try await tested.walk([(SearchableImage(2, "sea"), [])], isWhole: false)
            #expect(try await tested.find("sea ").count == 2)
        }
    }

    @Test("images that a later walk finds first are newer than those that are known")
    func missedImages() async throws {
        try await TestedIndex.with { tested in
            try await tested.publish(SearchableImage(1, "sea"))
            try await tested.apply(.feedReset)
            try await tested.walk([3, 2, 1].map { (SearchableImage($0, "sea"), []) })
            try await tested.publish(SearchableImage(4, "sea"))
            #expect(try await tested.find("") == [4, 3, 2, 1].map { UUID($0) })
        }
    }
}
