import Foundation

/// Maps an upstream's answer to comments: all of them, or none when one has a wrong type or no id.
///
/// Texts are taken as they are, of any length: the limits of authors do not apply to what is already published.
public enum CommentsMapper {
    /// - Returns: the comments in the upstream's order, each id once.
    public static func map(
        _ data: Data, statusCode: Int, imageID: UUID
    ) throws(CommentsMapperError) -> [ImageComment] {
        if statusCode == 404 { throw .notFound }
        guard (200...299).contains(statusCode) else { throw .rejected("its status is \(statusCode)") }
        var seen: Set<UUID> = []
        var comments: [ImageComment] = []
        for (index, item) in try items(data).enumerated() {
            let comment = try item.comment(of: imageID, at: "items[\(index)]")
            if seen.insert(comment.id).inserted { comments.append(comment) }
        }
        return comments
    }

    private static func items(_ data: Data) throws(CommentsMapperError) -> [Item] {
        guard JSONCommas.areProper(in: data) else { throw .rejected("it is no JSON: a comma stands before no value") }
        do {
            return try JSONDecoder().decode(Root.self, from: data).items
        } catch {
            throw .rejected("\(error)")
        }
    }

    private struct Root: Decodable {
        let items: [Item]
    }

    private struct Item: Decodable {
        let id: UUID
        let message: String
        let created_at: String
        let author: Author

        func comment(of imageID: UUID, at place: String) throws(CommentsMapperError) -> ImageComment {
            guard let createdAt = UpstreamDate.parse(created_at) else {
                throw .rejected("\(place).created_at is no date")
            }
            return ImageComment(
                id: id, imageID: imageID, message: message.storable, createdAt: createdAt,
                username: author.username.storable)
        }
    }

    private struct Author: Decodable {
        let username: String
    }
}

extension String {
    /// The text with U+FFFD for each U+0000, as HTML parsers have it: SQLite's text functions end at U+0000.
    fileprivate var storable: String {
        utf8.contains(0) ? replacingOccurrences(of: "\0", with: "\u{FFFD}") : self
    }
}
