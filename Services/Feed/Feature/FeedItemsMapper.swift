import Foundation

/// Maps an upstream's answer to items. One malformed item makes the page unusable: without it the page would have a hole.
/// Lengths are not limited, because the limits of authorship apply to authors only.
public enum FeedItemsMapper {
    /// - Parameter page: the URL of the answer, against which relative image URLs are resolved.
    /// - Returns: items in the upstream's order. Of an id that is repeated within the page the first item counts.
    public static func map(_ data: Data, statusCode: Int, page: String) throws(FeedRejection) -> [FeedImage] {
        guard statusCode == acceptedStatus else { throw FeedRejection("the status is \(statusCode)") }
        guard !data.isEmpty else { throw FeedRejection("the body is empty") }
        guard JSONCommas.areProper(in: data) else { throw FeedRejection("the body is not JSON") }
        do {
            var seen: Set<UUID> = []
            let decoder = JSONDecoder()
            decoder.userInfo[Item.page] = page
            return try decoder.decode(Root.self, from: data).items.map(\.image).filter {
                seen.insert($0.id).inserted
            }
        } catch {
            throw FeedRejection(error)
        }
    }

    private static let acceptedStatus = 200

    private struct Root: Decodable {
        let items: [Item]
    }

    private struct Item: Decodable {
        let image: FeedImage

        /// The URL of the page, in the decoder's `userInfo`. The name is not empty, so the key exists.
        static let page = CodingUserInfoKey(rawValue: "page").unsafelyUnwrapped

        private enum Key: String, CodingKey { case id, description, location, image }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            func text(_ key: Key) throws -> String? {
                guard let text = try values.decodeIfPresent(String.self, forKey: key) else { return nil }
                let shown = FeedText.shown(text)
                return shown.isEmpty ? nil : shown
            }
            let reference = try values.decode(String.self, forKey: .image)
            guard let address = ImageAddress.resolve(reference, page: decoder.userInfo[Self.page] as? String ?? "")
            else {
                throw DecodingError.dataCorruptedError(forKey: .image, in: values, debugDescription: "not an image URL")
            }
            image = FeedImage(
                id: try values.decode(UUID.self, forKey: .id), description: try text(.description),
                location: try text(.location), image: address)
        }
    }
}
