import Foundation
import Glibc
import JSON
import NIOCore
import RPC

/// An image to import, from `manifest.json` or from the folder's files.
struct ImportEntry: Sendable, Equatable {
    /// The path relative to the folder.
    let file: String
    let id: UUID?
    let description: String?
    let location: String?
    let comments: [Comment]

    struct Comment: Sendable, Equatable {
        let username: String
        let message: String
        let createdAt: Date?

        static let codec = Codec<Comment>.object { object in
            let username = object.required("username", .string, \.username)
            let message = object.required("message", .string, \.message)
            let createdAt = object.optional("created_at", .date, \.createdAt)
            return { members throws(JSONError) in
                Comment(
                    username: try members[username], message: try members[message], createdAt: try members[createdAt])
            }
        }
    }

    static let codec = Codec<ImportEntry>.object { object in
        let file = object.required("file", .string, \.file)
        let id = object.optional("id", .uuid, \.id)
        let title = object.optional("title", .string, { _ in nil })
        let description = object.optional("description", .string, \.description)
        let location = object.optional("location", .string, \.location)
        let comments = object.optional("comments", .array(of: Comment.codec), \.comments)
        return { members throws(JSONError) in
            let title = try members[title]
            return ImportEntry(
                file: try members[file], id: try members[id], description: try members[description] ?? title,
                location: try members[location], comments: try members[comments] ?? [])
        }
    }
}

/// A folder of images.
struct ImportFolder {
    let path: String

    static let manifestName = "manifest.json"

    /// The images in feed order: in the manifest's order, otherwise by file name.
    /// - Throws: `invalid_data` for an invalid manifest, `not_found` for a folder that has no image or cannot be read.
    func entries() throws(RPCError) -> [ImportEntry] {
        let manifest = "\(path)/\(Self.manifestName)"
        let hasManifest = FileManager.default.fileExists(atPath: manifest)
        let entries = try hasManifest ? listed(in: manifest) : files()
        guard entries.isEmpty else { return entries }
        let reason =
            hasManifest
            ? "\(manifest) lists none"
            : "there is neither a \(Self.manifestName) nor any other file, except hidden ones; name the folder of the images"
        throw RPCError(.notFound, "no image in folder \(path): \(reason)", begun: false)
    }

    private func listed(in manifest: String) throws(RPCError) -> [ImportEntry] {
        guard let data = FileManager.default.contents(atPath: manifest) else {
            throw RPCError(.notFound, "cannot read file \(manifest): check its mode and owner", begun: false)
        }
        do throws(JSONError) {
            return try RawJSON(checking: data).read(as: .array(of: ImportEntry.codec))
        } catch {
            throw RPCError(.invalidData, "\(manifest): \(error)", begun: false)
        }
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
            case ENOENT: return "it does not exist; check the path"
            case ENOTDIR: return "it is not a folder; name the folder of the images"
            case EACCES: return "permission denied; check its mode and owner, or run as another user"
            case let error: return "\(String(cString: strerror(error))); check the path and the disk"
            }
        }
        closedir(folder)
        return nil
    }

    private func isFolder(_ file: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: "\(path)/\(file)", isDirectory: &isFolder) && isFolder.boolValue
    }

    /// The image file of an entry. A manifest may name only files in its own folder.
    func picture(_ entry: ImportEntry) throws(RPCError) -> PictureFile {
        let isInside = !entry.file.hasPrefix("/") && !entry.file.split(separator: "/").contains("..")
        guard isInside, !entry.file.isEmpty, !entry.file.utf8.contains(0) else {
            throw RPCError(.invalidData, "the file must be in the folder of the manifest", begun: false)
        }
        return PictureFile(path: "\(path)/\(entry.file)")
    }
}
