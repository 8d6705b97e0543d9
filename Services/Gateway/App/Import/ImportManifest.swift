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
    let description: String?
    let location: String?
    let comments: [Comment]

    /// The URL of the image. If it is nil, the URL is derived from the hash of the bytes.
    var image: String?

    var tags: [String] = []

    /// When the image was published first; nil for the time of the import.
    var publishedAt: Date?

    /// The size and a placeholder of the picture, as an export has them.
    var hints = PictureHints()

    /// The reason why it is not imported; nil for an image.
    var refusal: String?

    /// The name in messages.
    var name: String { file ?? image ?? "" }

    struct Comment: Sendable, Equatable {
        let id: UUID?
        let username: String
        let message: String
        let createdAt: Date?

        static let codec = Codec<Comment>.object { object in
            let id = object.optional("id", .uuid, \.id)
            let username = object.required("username", .string, \.username)
            let message = object.required("message", .string, \.message)
            let createdAt = object.optional("created_at", .date, \.createdAt)
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
        let tags = object.optional("tags", .array(of: .string), { $0.tags.isEmpty ? nil : $0.tags })
        let publishedAt = object.optional("published_at", .date, \.publishedAt)
        let hints = PictureHints.Members(in: &object) { $0.hints }
        return { members throws(JSONError) in
            let title = try members[title]
            let file = try members[file]
            let image = try members[image]
            guard file != nil || image != nil else {
                throw .mismatch(path: "file", reason: "must be there, or else image, a URL")
            }
            return ImportEntry(
                file: file, id: try members[id], description: try members[description] ?? title,
                location: try members[location], comments: try members[comments] ?? [], image: image,
                tags: try members[tags] ?? [], publishedAt: try members[publishedAt], hints: try hints.read(members))
        }
    }
}

/// A folder of images.
struct ImportFolder {
    let path: String

    static let manifestName = "manifest.json"

    /// The maximum size of a list: that of 100,000 images with long texts.
    static let maximumManifestBytes = 1 << 30

    /// The images in feed order: in the order of the manifest or of an archive's posts, otherwise by file name.
    /// - Throws: `invalid_data` for an invalid list, `not_found` for a folder that has no image or cannot be read.
    func entries() throws(RPCError) -> [ImportEntry] {
        let listed = try listed()
        let entries = if let listed { listed.entries } else { try files() }
        guard entries.isEmpty else { return entries }
        let reason =
            listed.map { "\(path)/\($0.list) lists none" }
            ?? "there is neither a \(Self.manifestName) nor any other file, except hidden ones; name the folder of the images"
        throw RPCError(.notFound, "no image in folder \(path): \(reason)", begun: false)
    }

    /// Nil without a list.
    private func listed() throws(RPCError) -> (list: String, entries: [ImportEntry])? {
        if has(Self.manifestName) {
            return (Self.manifestName, try read(Self.manifestName, as: .array(of: ImportEntry.codec)))
        }
        if has(MastodonArchive.listName) {
            let outbox = try read(MastodonArchive.listName, as: JSONValue.codec)
            guard let entries = MastodonArchive.entries(outbox, hasFile: has) else {
                throw foreign(MastodonArchive.listName, "Mastodon: it has no list orderedItems")
            }
            return (MastodonArchive.listName, entries)
        }
        let lists = InstagramArchive.lists(hasFile: has)
        guard let first = lists.first else { return nil }
        var posts: [JSONValue] = []
        for list in lists { posts.append(try read(list, as: JSONValue.codec)) }
        guard let entries = InstagramArchive.entries(posts) else {
            throw foreign(first, "Instagram: it is not a list")
        }
        return (first, entries)
    }

    private func has(_ file: String) -> Bool { FileManager.default.fileExists(atPath: "\(path)/\(file)") }

    private func read<Value>(_ list: String, as codec: Codec<Value>) throws(RPCError) -> Value {
        let data = try InputFile(path: "\(path)/\(list)").read(upTo: Self.maximumManifestBytes, isRegular: true)
        do throws(JSONError) {
            return try RawJSON(checking: data).read(as: codec)
        } catch {
            throw RPCError(.invalidData, "\(path)/\(list): \(error.placed(in: data))", begun: false)
        }
    }

    private func foreign(_ list: String, _ reason: String) -> RPCError {
        RPCError(.invalidData, "\(path)/\(list) is not that of an archive of \(reason)", begun: false)
    }

    private func files() throws(RPCError) -> [ImportEntry] {
        if let fault { throw RPCError(.notFound, "cannot read folder \(path): \(fault)", begun: false) }
        guard let files = FileManager.default.enumerator(atPath: path) else {
            throw RPCError(.notFound, "cannot read folder \(path): it was removed; run the import again", begun: false)
        }
        return files.compactMap { $0 as? String }
            .filter { !isFolder($0) && !$0.split(separator: "/").contains { $0.hasPrefix(".") } }
            .sorted()
            .map { file in
                let name = ((file as NSString).lastPathComponent as NSString).deletingPathExtension
                return ImportEntry(file: file, id: nil, description: name, location: nil, comments: [])
            }
    }

    /// The reason why the folder cannot be read, and the remedy; nil when it can be read.
    private var fault: String? {
        guard let folder = opendir(path) else {
            switch errno {
            case ENOTDIR: return "it is not a folder; name the folder of the images"
            case let code: return FileFault.text(code)
            }
        }
        closedir(folder)
        return nil
    }

    private func isFolder(_ file: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: "\(path)/\(file)", isDirectory: &isFolder) && isFolder.boolValue
    }

    /// An image file of the folder. A list may name only files in its own folder.
    func picture(_ file: String) throws(RPCError) -> PictureFile {
        let isInside = !file.hasPrefix("/") && !file.split(separator: "/").contains("..")
        guard isInside, !file.isEmpty, !file.utf8.contains(0) else {
            throw RPCError(.invalidData, "the file must be in the folder that is imported", begun: false)
        }
        return PictureFile(path: "\(path)/\(file)")
    }
}
