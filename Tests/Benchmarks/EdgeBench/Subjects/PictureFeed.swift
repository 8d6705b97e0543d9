import Foundation

/// A feed of an upstream with pictures that are in no cache.
struct PictureFeed: Sendable {
    private let ids: [UUID]
    private let pictures: [String: Data]

    /// The gateway's paths of the pictures.
    var paths: [String] { ids.map(FeedWalk.path) }

    /// - Parameter count: the number of items, at most one page.
    init(count: Int, of picture: Data) {
        let ids = (0..<count).map { _ in UUID() }
        self.ids = ids
        pictures = Dictionary(
            uniqueKeysWithValues: ids.enumerated().map { number, id in
                (FeedWalk.path(of: id), NumberedPicture.jpeg(picture, number))
            })
    }

    func answer(_ path: String, from origin: String) -> PictureOrigin.Answer? {
        if let picture = pictures[path] { return PictureOrigin.Answer(contentType: "image/jpeg", body: picture) }
        guard path.hasPrefix("/v1/feed") else { return nil }
        let items =
            path.contains("after_id")
            ? [] : ids.map { "{\"id\":\"\($0.uuidString)\",\"image\":\"\(origin)\(FeedWalk.path(of: $0))\"}" }
        return .json("{\"items\":[\(items.joined(separator: ","))]}")
    }
}
