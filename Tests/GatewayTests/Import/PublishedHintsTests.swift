import Foundation
import RPCTestKit
import Testing

/// An item that is published by URL, with the real programs.
struct PublishedHintsTests {
    @Test func `an item published by URL has its size and placeholder after the first load of its picture`()
        async throws
    {
        let path = Program.repository + "/deploy/sample/lighthouse.jpg"
        let photo = try #require(FileManager.default.contents(atPath: path))
        try await OriginServer.with({ _ in [.response(200, body: [UInt8](photo))] }) { origin async throws in
            try await Deployment.with(imageData: ["--allow-private-upstream", origin.authority]) {
                deployment async throws in
                let published = try await deployment.gateway("publish", origin.url + "/photo.jpg")
                #expect(published.status == 0, "\(published.errors)")
                var feed = try await deployment.gateway("feed", "--json").output
                #expect(feed.contains(origin.url) && !feed.contains(#""width""#))
                let id = published.output.trimmingCharacters(in: .newlines)
                let image = try await deployment.gateway("image", id)
                #expect(image.bytes == photo)
                try await eventually {
                    feed = try await deployment.gateway("feed", "--json").output
                    return feed.contains(#""placeholder""#)
                }
                #expect(feed.contains(#""width":576,"height":720"#))
            }
        }
    }
}
