import Foundation

/// Makes comments of an upstream's answer, all of them or none: one that is bad makes the whole answer suspect.
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
            guard let message = CommentText.trimmed(message, ImageComment.messageLength) else {
                throw .rejected("\(place).message has no length from 1 to \(ImageComment.messageLength.upperBound)")
            }
            guard let username = CommentText.trimmed(author.username, ImageComment.usernameLength) else {
                throw .rejected(
                    "\(place).author.username has no length from 1 to \(ImageComment.usernameLength.upperBound)")
            }
            return ImageComment(
                id: id, imageID: imageID, message: message, createdAt: createdAt, username: username)
        }
    }

    private struct Author: Decodable {
        let username: String
    }
}
