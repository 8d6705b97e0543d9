import EdgeModel
import Foundation
import Glibc
import JSON
import RPC

/// An image to import, from `manifest.json`, from an archive's posts or from the folder's files.
struct ImportEntry: Sendable, Equatable {
    /// The path relative to the folder; nil for an image that is published by its URL, without bytes.
    let file: String?
    let id: UUID?
    var description: String?
    var location: String?
    var comments: [Comment]

    /// The URL of the image. If it is nil, the URL is derived from the hash of the bytes.
    var image: String?

    var tags: [String] = []

    /// When the image was published first; nil for the time of the import.
    var publishedAt: Date?

    /// The size and a placeholder of the picture, as an export has them of a picture without bytes.
    var hints = PictureHints()

    var details = PictureDetails()

    /// The names of the members that a manifest has for it, also without a value. The picture's file changes nothing about them.
    var stated: Set<String> = []

    /// What describes the picture if nothing else does: the name of its file, without a manifest.
    var unnamed: String?

    /// The reason why it cannot be imported; nil for an image.
    var refusal: String?

    /// Why it is left out on purpose; nil for an image.
    var skipped: ImportSkip?

    /// The name in messages.
    var name: String { file ?? image ?? "" }

    struct Comment: Sendable, Equatable {
        let id: UUID?
        let username: String
        let message: String
        let createdAt: Date?

        /// The reason why it cannot be imported; nil for a comment.
        var refusal: String?

        /// The codec of a comment in a list. One that is not valid is refused; it stops neither the others nor its picture.
        static let codec = Codec<RawJSON>.any.map(
            into: { json throws(JSONError) in
                do throws(JSONError) {
                    return try json.read(as: validCodec)
                } catch {
                    return Comment(id: nil, username: "", message: "", createdAt: nil, refusal: "\(error)")
                }
            },
            from: { RawJSON($0, as: validCodec) })

        private static let validCodec = Codec<Comment>.object { object in
            let id = object.optional("id", .uuid, \.id)
            let username = object.required("username", .string, \.username)
            let message = object.required("message", .string, \.message)
            let createdAt = object.optional("created_at", ImportDate.codec, \.createdAt)
            return { members throws(JSONError) in
                Comment(
                    id: try members[id], username: try members[username], message: try members[message],
                    createdAt: try members[createdAt])
            }
        }
    }

    static let codec = Codec<ImportEntry>.object { object in
        let file = object.optional("file", .string, \.file)
        let id = object.optional("id", .uuid, \.id)
        let title = object.optional("title", .string, { _ in nil })
        let description = object.optional("description", .string, \.description)
        let location = object.optional("location", .string, \.location)
        let comments = object.optional(
            "comments", .array(of: Comment.codec), { $0.comments.isEmpty ? nil : $0.comments })
        let image = object.optional("image", .string, \.image)
        let tags = object.optional("tags", tagsCodec, { $0.tags.isEmpty ? nil : $0.tags })
        let publishedAt = object.optional("published_at", ImportDate.codec, \.publishedAt)
        let hints = PictureHints.Members(in: &object) { $0.hints }
        let details = PictureDetails.Members(
            in: &object, isAuthored: false, source: PictureDetails.foreignSource
        ) { $0.details }
        // Other names for `credit`, `license` and `source`.
        let author = object.optional("author", .string, { _ in nil })
        let licence = object.optional("licence", .string, { _ in nil })
        let origin = object.optional("origin", .string, { _ in nil })
        return { members throws(JSONError) in
            let other = PictureDetails(
                credit: try members[author], license: try members[licence],
                source: try members[origin].map { WebAddress.resolve($0, schemes: PictureDetails.sourceSchemes) ?? $0 })
            let title = try members[title]
            let file = try members[file]
            let image = try members[image]
            guard file != nil || image != nil else {
                throw .mismatch(path: "file", reason: "must be there, or else image, a URL")
            }
            return ImportEntry(
                file: file, id: try members[id],
                // The first line of a description is its title.
                description: ImportText.joined(title: title, description: try members[description]),
                location: try members[location], comments: try members[comments] ?? [], image: image,
                tags: try members[tags] ?? [], publishedAt: try members[publishedAt], hints: try hints.read(members),
                details: try details.read(members).completed(by: other))
        }
    }
}

extension ImportEntry {
    /// The codec of tags. Other programs write them as one text with commas.
    private static let tagsCodec = Codec<RawJSON>.any.map(
        into: { json throws(JSONError) in
            guard let text = try? json.read(as: .string) else { return try json.read(as: .array(of: .string)) }
            return text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
                .filter { !$0.isEmpty }
        },
        from: { RawJSON($0, as: .array(of: .string)) })
}

/// Why something is left out of an import on purpose. It is counted, and no failure.
enum ImportSkip: String, CaseIterable, Sendable {
    /// A post that not everybody could read.
    case notPublic = "not_public"
    case sensitive
    /// A video, or another attachment of a post.
    case notPicture = "not_a_picture"
    /// A copy of a picture that is imported, or the original of an edited one.
    case copy
    /// An XMP file beside a picture that cannot be read.
    case sidecar = "unreadable_sidecar"
    /// A file that a system or a program has put among the pictures.
    case system = "system_file"
}

extension ImportEntry {
    /// The names of the members, for the warning about others.
    static let memberNames: Set<String> = {
        guard case .properties(let members) = codec.schema["properties"] else { return [] }
        return Set(members.map(\.0))
    }()

    /// The names of the members of each object of a list; none for what is no object, which is refused elsewhere.
    static let namesCodec = Codec<RawJSON>.any.map(
        into: { json throws(JSONError) in (try? json.read(as: objectNamesCodec)) ?? [] },
        from: { RawJSON($0, as: objectNamesCodec) })

    private static let objectNamesCodec = Codec<Set<String>>(
        schema: JSONSchema(),
        read: { reader throws(JSONError) in
            var (object, names) = (try reader.beginObject(), Set<String>())
            while let name = try reader.nextMember(of: &object) {
                names.insert(reader.decode(name))
                try reader.skipValue()
            }
            return names
        }, write: { _, _ in })
}
