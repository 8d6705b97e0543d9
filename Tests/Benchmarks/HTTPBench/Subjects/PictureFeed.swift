import Foundation

/// A feed of an upstream with pictures that are in no cache.
struct PictureFeed: Sendable {
    private let ids: [UUID]
    private let picture: Data

    /// The gateway's paths of the pictures.
    var paths: [String] { ids.map(FeedWalk.path) }

    /// The position of each item by the gateway's path of its picture.
    private let numbers: [String: Int]

    /// - Parameter count: the number of items.
    init(count: Int, of picture: Data) {
        ids = (0..<count).map { _ in UUID() }
        self.picture = picture
        numbers = Dictionary(uniqueKeysWithValues: ids.enumerated().map { (FeedWalk.path(of: $1), $0) })
    }

    func answer(_ path: String, from origin: String) -> PictureOrigin.Answer? {
        if let number = numbers[path] {
            return PictureOrigin.Answer(contentType: "image/jpeg", body: NumberedPicture.jpeg(picture, number))
        }
        let target = path.split(separator: "?", maxSplits: 1).map(String.init)
        guard target.first == "/v1/feed" else { return nil }
        let page = page(URLComponents(string: path)?.queryItems ?? [])
        let items = page.map { "{\"id\":\"\($0.uuidString)\",\"image\":\"\(origin)\(FeedWalk.path(of: $0))\"}" }
        return .json("{\"items\":[\(items.joined(separator: ","))]}")
    }

    private func page(_ query: [URLQueryItem]) -> ArraySlice<UUID> {
        let value = { (name: String) in query.first { $0.name == name }?.value }
        let limit = value("limit").flatMap { Int($0) } ?? 10
        guard let cursor = value("after_id").flatMap({ UUID(uuidString: $0) }) else { return ids.prefix(limit) }
        return ids.dropFirst((numbers[FeedWalk.path(of: cursor)] ?? ids.count) + 1).prefix(limit)
    }
}
