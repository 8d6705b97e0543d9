import Foundation
import Glibc
import JSON
import NIOCore
import RPC

/// One picture to import, as `manifest.json` or the folder names it.
struct ImportEntry: Sendable, Equatable {
    /// Relative to the folder.
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

/// A folder of pictures.
struct ImportFolder {
    let path: String

    static let manifestName = "manifest.json"

    /// The pictures in feed order: as the manifest lists them, else by file name.
    /// - Throws: `invalid_data` for a manifest that is none, `not_found` for a folder that cannot be read.
    func entries() throws(RPCError) -> [ImportEntry] {
        let manifest = "\(path)/\(Self.manifestName)"
        guard FileManager.default.fileExists(atPath: manifest) else { return try files() }
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
            throw RPCError(.notFound, "cannot read folder \(path): it went away; run the import again", begun: false)
        }
        return files.compactMap { $0 as? String }
            .filter { !isFolder($0) && !$0.split(separator: "/").contains { $0.hasPrefix(".") } }
            .sorted()
            .map { file in
                let name = ((file as NSString).lastPathComponent as NSString).deletingPathExtension
                return ImportEntry(file: file, id: nil, description: name, location: nil, comments: [])
            }
    }

    /// Why the folder cannot be read, and the remedy; nil when it can.
    private var fault: String? {
        guard let folder = opendir(path) else {
            switch errno {
            case ENOENT: return "it does not exist; check the path"
            case ENOTDIR: return "it is not a folder; name the folder that the pictures are in"
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

    /// The picture of an entry. A manifest may only name what lies in its own folder.
    func picture(_ entry: ImportEntry) throws(RPCError) -> PictureFile {
        let isInside = !entry.file.hasPrefix("/") && !entry.file.split(separator: "/").contains("..")
        guard isInside, !entry.file.isEmpty, !entry.file.utf8.contains(0) else {
            throw RPCError(.invalidData, "the file must lie in the folder", begun: false)
        }
        return PictureFile(path: "\(path)/\(entry.file)")
    }
}
