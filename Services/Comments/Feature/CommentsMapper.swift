import EdgeModel
import Foundation
import JSON

/// Maps an upstream's answer to comments. One comment with a wrong type or without an id invalidates the answer.
///
/// Texts may have any length: the length limits apply only to posting.
public enum CommentsMapper {
    /// - Returns: the comments in the upstream's order, each id once.
    public static func map(
        _ data: Data, statusCode: Int, imageID: UUID
    ) throws(CommentsMapperError) -> [ImageComment] {
        if statusCode == 404 { throw .notFound(isCertain: UpstreamProblem.kind(of: data) == "not_found") }
        guard (200...299).contains(statusCode) else { throw .rejected("its status is \(statusCode)") }
        do throws(JSONError) {
            var seen: Set<UUID> = []
            return try RawJSON(checking: data).read(as: comments(of: imageID)).filter { seen.insert($0.id).inserted }
        } catch .syntax(let reason, let offset) {
            throw .rejected("its body is not JSON: \(reason) at byte \(offset)")
        } catch .mismatch("", let reason) {
            throw .rejected("its body \(reason)")
        } catch {
            throw .rejected("\(error)")
        }
    }

    /// The images that an event `posted` of the upstream names; nil when the event cannot be read.
    public static func images(ofPosted event: Data) -> Set<UUID>? {
        guard let json = try? RawJSON(checking: event) else { return nil }
        return (try? json.read(as: posted)).map(Set.init)
    }

    private static let posted = Codec<[UUID]>.object { object in
        let item = Codec<UUID>.object { object in
            let imageID = object.required("image_id", .uuid) { $0 }
            return { members throws(JSONError) in try members[imageID] }
        }
        let items = object.required("items", .array(of: item)) { $0 }
        return { members throws(JSONError) in try members[items] }
    }

    private static func comments(of imageID: UUID) -> Codec<[ImageComment]> {
        .object { object in
            let items = object.required("items", .array(of: comment(of: imageID))) { $0 }
            return { members throws(JSONError) in try members[items] }
        }
    }

    private static func comment(of imageID: UUID) -> Codec<ImageComment> {
        .object { object in
            let id = object.required("id", .uuid, \.id)
            let message = object.required("message", .string, \.message)
            let createdAt = object.required("created_at", .date, \.createdAt)
            let author = object.required("author", author, \.username)
            return { members throws(JSONError) in
                ImageComment(
                    id: try members[id], imageID: imageID, message: try members[message].storable,
                    createdAt: try members[createdAt].wholeSeconds, username: try members[author].storable)
            }
        }
    }

    private static let author = Codec<String>.object { object in
        let username = object.required("username", .string) { $0 }
        return { members throws(JSONError) in try members[username] }
    }
}

extension Date {
    /// The date without its fraction of a second.
    fileprivate var wholeSeconds: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) }
}
