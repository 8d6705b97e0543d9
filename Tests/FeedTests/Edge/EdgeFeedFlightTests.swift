import Feed
import FeedContract
import Foundation
import RPC
import RPCTestKit
import Testing

@testable import feed_service

/// Concurrent readers of an edge.
struct EdgeFeedFlightTests {
    @Test(arguments: [1, 2, 100])
    func `concurrent requests for a page are one upstream request`(readers: Int) async throws {
        try await withTemporaryDirectory { directory in
            let asked = Recorded<String>()
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            let rig = try EdgeRig(directory) { url, _ in
                asked.add(url)
                for await _ in gate {}
                return .page([2, 1])
            }
            try await withThrowingTaskGroup(of: LoadedFeed.self) { group in
                for _ in 0..<readers { group.addTask { try await rig.load(2) } }
                // A request for another page is not shared.
                group.addTask { try await rig.load(2, at: .after(9)) }
                let page = EdgeFeed.PageRequest(limit: 2, cursor: .start)
                await asked.wait(for: 2)
                await rig.feed.flights.wait(for: page) { $0 == readers }
                open.finish()
                for try await page in group { #expect(page.numbers == [2, 1] && page.origin == .remote) }
            }
            #expect(asked.all.count == 2)
            #expect(rig.faults.all == [])
        }
    }
}
