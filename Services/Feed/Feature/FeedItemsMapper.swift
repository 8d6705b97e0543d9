import Foundation

/// What an upstream answers, as items. One bad item spoils the page: half of a page would be a page with a hole.
public enum FeedItemsMapper {
    /// - Returns: in the upstream's order; an id that comes again within the page counts the first time.
    public static func map(_ data: Data, statusCode: Int) throws(FeedRejection) -> [FeedImage] {
        guard statusCode == acceptedStatus else { throw FeedRejection("the status is \(statusCode)") }
        guard !data.isEmpty else { throw FeedRejection("the body is empty") }
        guard JSONCommas.areProper(in: data) else { throw FeedRejection("the body is not JSON") }
        do {
            var seen: Set<UUID> = []
            return try JSONDecoder().decode(Root.self, from: data).items.map(\.image).filter {
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

        private enum Key: String, CodingKey { case id, description, location, image }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            func text(_ key: Key, _ maximum: Int) throws -> String? {
                guard let text = try values.decodeIfPresent(String.self, forKey: key) else { return nil }
                guard let trimmed = FeedText.trimmed(text, maximum) else {
                    throw invalid(key, "too long, or with U+0000")
                }
                return trimmed.isEmpty ? nil : trimmed
            }
            func invalid(_ key: Key, _ reason: String) -> DecodingError {
                .dataCorruptedError(forKey: key, in: values, debugDescription: reason)
            }
            let address = try values.decode(String.self, forKey: .image)
            guard FeedText.isImageAddress(address) else { throw invalid(.image, "no URL of an image") }
            image = FeedImage(
                id: try values.decode(UUID.self, forKey: .id),
                description: try text(.description, FeedText.maximumDescription),
                location: try text(.location, FeedText.maximumLocation), image: address)
        }
    }
}
