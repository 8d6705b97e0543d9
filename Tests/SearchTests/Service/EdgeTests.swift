import FeedContract
import Foundation
import RPC
import RPCTestKit
import SearchContract
import Testing

/// Search at an edge finds what the edge has seen.
struct EdgeTests {
    @Test("the newest images are indexed, and what readers see afterwards")
    func edge() async throws {
        try await Deployment.with(imageData: ["--no-fetch"]) { origin in
            try await publish(1...30, at: origin)
            let upstream = ["--upstream", "http://127.0.0.1:\(try origin.httpPort())"]
            try await SearchStack.with(options: ["feed": upstream, "comments": upstream]) { edge in
                try await eventually { try await edge.find("").count == 30 }
                try await publish(31...31, at: origin)
                let comment = try await origin.gateway("comment", UUID(31).uuidString, "galinha")
                #expect(comment.status == 0, "\(comment.errors)")
                // A reader of the edge.
                _ = try await edge.feed.client.call(FeedContract.load, LoadFeed())
                try await edge.wait(for: "w31 ", [UUID(31)])
                try await edge.readComments(of: UUID(31))
                try await edge.wait(for: "galinha", [UUID(31)])
                // What the upstream has removed.
                let removed = try await origin.gateway("remove", UUID(2).uuidString)
                #expect(removed.status == 0, "\(removed.errors)")
                _ = try await edge.feed.client.call(FeedContract.load, LoadFeed())
                try await edge.wait(for: "w2 ", [])
                await edge.kill("search")
                try await edge.start("search")
                try await eventually { try await edge.find("").count == 30 }
            }
        }
    }

    private func publish(_ numbers: ClosedRange<Int>, at origin: Deployment) async throws {
        let items = numbers.map {
            #"{"id":"\#(UUID($0).uuidString)","description":"w\#($0)","image":"https://example.org/a.jpg"}"#
        }
        let published = try await origin.gateway(
            "call", "feed.publish", #"{"items":[\#(items.joined(separator: ","))]}"#)
        #expect(published.status == 0, "\(published.errors)")
    }
}
