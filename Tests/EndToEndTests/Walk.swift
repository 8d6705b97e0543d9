import Foundation
import RPCTestKit
import Testing

/// All data that a deployment serves over HTTP: every page, with the bytes and comments of every item.
struct Walk: Equatable {
    private(set) var images: [String: [UInt8]] = [:]
    private(set) var comments: [String: [UInt8]] = [:]
    private(set) var order: [String] = []
    private(set) var dates: [String?] = []

    /// The age of each page in seconds.
    private(set) var ages: [Int?] = []

    init(_ port: Int) async throws {
        var next: String? = "/v1/feed?limit=7"
        while let target = next {
            let page = try await Self.get(port, target)
            ages.append(page["Age"].flatMap { Int($0) })
            let payload = try #require(try JSONSerialization.jsonObject(with: Data(page.body)) as? [String: Any])
            for item in try #require(payload["items"] as? [[String: Any]]) {
                let id = try #require(item["id"] as? String)
                let image = try #require((item["image"] as? String).flatMap(URL.init(string:)))
                #expect(image.port == port)
                order.append(id)
                dates.append(item["published_at"] as? String)
                images[id] = try await Self.get(port, image.path()).body
                comments[id] = try await Self.get(port, "/v1/image/\(id)/comments").body
            }
            next = page["Link"]?.firstMatch(of: /<http:\/\/[^\/]*([^>]*)>; rel="next"/).map { String($0.output.1) }
        }
    }

    private static func get(_ port: Int, _ target: String) async throws -> HTTPReply {
        let reply = try await HTTPPeer.exchange(port: port, target)
        #expect(reply.status == 200, "\(target): \(String(decoding: reply.body, as: UTF8.self))")
        return reply
    }

    /// Compares everything except the ages.
    static func == (one: Walk, other: Walk) -> Bool {
        one.order == other.order && one.dates == other.dates && one.images == other.images
            && one.comments == other.comments
    }
}
