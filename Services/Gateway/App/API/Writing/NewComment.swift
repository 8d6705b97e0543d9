import CommentsContract
import Foundation
import JSON
import NIOCore
import RPC

/// The body of `POST /v1/image/{id}/comments`: JSON, or a form with the same fields.
struct NewComment: Sendable {
    let message: String
    let username: String

    /// Makes the request repeatable.
    let id: UUID?

    static let codec = Codec<NewComment>.object { object in
        let message = object.required("message", .trimmed(PostComment.messageLength), \.message)
        let username = object.required("username", .trimmed(PostComment.usernameLength), \.username)
        let id = object.optional("id", .uuid, \.id, "Makes the request repeatable.")
        return { members throws(JSONError) in
            NewComment(message: try members[message], username: try members[username], id: try members[id])
        }
    }

    static let description = BodyDescription(
        codec, example: NewComment(message: "Lovely light!", username: "ana", id: nil))

    /// - Throws: `parse_error` for a text that is not JSON, `invalid_params` for an invalid member.
    init(json body: ByteBuffer) throws(RPCError) {
        do throws(JSONError) {
            self = try RawJSON(checking: body.readableBytesView).read(as: Self.codec)
        } catch .syntax(let reason, let offset) {
            throw RPCError(.parseError, "the body is not JSON: \(reason) at byte \(offset)", begun: false)
        } catch {
            throw RPCError(.invalidParams, "\(error)", begun: false)
        }
    }

    /// Reads the fields of a form. They have the rules of the JSON members.
    /// - Throws: `invalid_params` for a missing, repeated or invalid field.
    init(form: Query) throws(RPCError) {
        let (message, username, id) = (try form.text("message"), try form.text("username"), try form.text("id"))
        var writer = JSONWriter()
        writer.object { writer in
            for case (let name, let value?) in [("message", message), ("username", username), ("id", id)] {
                writer.name(name)
                writer.string(value)
            }
        }
        try self.init(json: ByteBuffer(bytes: writer.bytes))
    }

    private init(message: String, username: String, id: UUID?) {
        self.message = message
        self.username = username
        self.id = id
    }
}
