import Foundation
import HTTPTypes
import Testing

@testable import gateway

@Suite struct RouterTests {
    private static let id = "5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D01"
    private let router = Router(API.endpoints)

    private func name(_ path: [String], _ method: HTTPRequest.Method = .get) -> String? {
        guard case .endpoint(let endpoint, _) = router.route(method, path) else { return nil }
        return endpoint.name
    }

    @Test func `a path with an id is found in any case`() throws {
        let id = try #require(UUID(uuidString: Self.id))
        for text in [Self.id, Self.id.lowercased()] {
            guard case .endpoint(let endpoint, let value) = router.route(.get, ["v1", "image", text, "data"]) else {
                Issue.record("not found")
                return
            }
            #expect(endpoint.name == "getImageData" && value == .id(id))
        }
    }

    @Test func `the method selects between endpoints of the same path`() {
        let path = ["v1", "image", Self.id, "comments"]
        #expect(name(path) == "listComments" && name(path, .head) == "listComments")
        #expect(name(path, .post) == "postComment")
    }

    @Test(arguments: [HTTPRequest.Method.put, .delete, .options, .trace])
    func `another method gets the methods of the path`(method: HTTPRequest.Method) {
        guard
            case .otherMethods(let allowed, let isReadable) = router.route(
                method, ["v1", "image", Self.id, "comments"])
        else {
            Issue.record("found")
            return
        }
        #expect(allowed == ["GET", "HEAD", "POST", "OPTIONS"] && isReadable)
    }

    @Test(
        arguments: [
            ["v1"], ["feed"], ["v2", "feed"], ["V1", "feed"], ["v1", "feed", "x"], ["v1", "image"],
            ["v1", "image", "x", "data"], ["v1", "image", id, "other"], ["v1", "image", id, "data", "x"],
        ])
    func `any other path is unknown`(path: [String]) {
        guard case .unknown = router.route(.get, path) else {
            Issue.record("found")
            return
        }
    }

    @Test func `names and paths are unique`() {
        #expect(Set(API.endpoints.map(\.name)).count == API.endpoints.count)
        #expect(Set(API.endpoints.map { "\($0.method) \($0.path.text)" }).count == API.endpoints.count)
    }
}
