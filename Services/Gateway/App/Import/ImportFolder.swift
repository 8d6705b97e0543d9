import Foundation
import Glibc
import JSON
import RPC

/// A folder of images.
struct ImportFolder: Sendable {
    let path: String

    /// Whether sensitive posts of an archive are imported.
    var takesSensitive = false

    static let manifestName = "manifest.json"

    /// The maximum size of a list: that of 100,000 images with long texts.
    static let maximumManifestBytes = 1 << 30

    /// What the folder has to import.
    struct Contents: Sendable {
        /// In feed order: in the order of the manifest or of an archive's posts, otherwise by the dates of the pictures, the newest first,
        /// and behind them by file name.
        var entries: [ImportEntry]

        /// Whether the author has given the order.
        var hasOwnOrder = false

        /// Whether the entries are posts of another program, which their author cannot change.
        var isArchive = false

        /// How much is left out on purpose, by reason.
        var skipped: [ImportSkip: Int] = [:]

        /// How many entries were changed, by what was changed.
        var notes: [ImportNote: Int] = [:]

        /// Members of the manifest that import does not know.
        var unknownMembers: [String] = []
    }

    /// - Throws: `invalid_data` for an invalid list and for an archive that is not understood, `not_found` for a folder that has no
    ///   image or cannot be read.
    /// - Parameter now: the time of the import.
    func contents(now: Date = Date()) throws(RPCError) -> Contents {
        var contents = try listed()
        // By a date that is ignored an entry was sorted wrongly.
        var (sorted, undated): ([ImportEntry], [ImportEntry]) = ([], [])
        for entry in contents.entries {
            let (fitted, notes) = entry.fitted(cutting: contents.isArchive, now: now)
            for note in notes { contents.notes[note, default: 0] += 1 }
            let hasLostDate = entry.publishedAt != nil && fitted.publishedAt == nil
            if hasLostDate, !contents.hasOwnOrder { undated.append(fitted) } else { sorted.append(fitted) }
        }
        contents.entries = sorted + undated
        return contents
    }

    private func listed() throws(RPCError) -> Contents {
        if let fault { throw RPCError(.notFound, "cannot read folder \(path): \(fault)", begun: false) }
        if let found = try manifest() {
            var contents = try usable(found, list: Self.manifestName)
            contents.hasOwnOrder = true
            return contents
        }
        let files = FolderFiles(path)
        if let (list, found) = try archive(files) {
            var contents = try usable(found, list: list)
            contents.isArchive = true
            return contents
        }
        if let trace = ArchiveTrace(in: files) {
            throw RPCError(.invalidData, "nothing was imported from folder \(path): \(trace.explanation)", begun: false)
        }
        return try usable(pictures(files), list: nil)
    }

    /// The contents without what is left out.
    /// - Throws: `not_found` if nothing remains, and nothing was left out for a reason that the caller has to know.
    private func usable(_ all: Contents, list: String?) throws(RPCError) -> Contents {
        var contents = all
        for entry in contents.entries { if let reason = entry.skipped { contents.skipped[reason, default: 0] += 1 } }
        contents.entries.removeAll { $0.skipped != nil }
        let isEmpty = contents.skipped.allSatisfy { $0.key == .system || list == nil && $0.key == .notPicture }
        guard contents.entries.isEmpty, isEmpty else { return contents }
        let reason =
            list.map { "\(path)/\($0) lists none" }
            ?? "there is neither a \(Self.manifestName) nor a file with the name of a picture; name the folder of the images"
        throw RPCError(.notFound, "no image in folder \(path): \(reason)", begun: false)
    }

    /// Whether the folder is an export of a feed, whose bytes are to stay as they are.
    var isExport: Bool { FileManager.default.fileExists(atPath: "\(path)/\(ExportFolder.markerName)") }

    /// What the manifest lists; nil without one.
    private func manifest() throws(RPCError) -> Contents? {
        guard let name = try manifestFile() else { return nil }
        let text = try text(of: name, isTyped: true)
        var entries = try entries(of: name, text)
        let members = try read(name, text, as: .array(of: ImportEntry.namesCodec))
        for (index, names) in zip(entries.indices, members) { entries[index].stated = names }
        let unknown = members.reduce(into: Set()) { $0.formUnion($1) }.subtracting(ImportEntry.memberNames)
        return Contents(entries: entries, unknownMembers: unknown.sorted())
    }

    /// The name of the file with the manifest. Other systems do not distinguish the case of names.
    private func manifestFile() throws(RPCError) -> String? {
        if FileManager.default.fileExists(atPath: "\(path)/\(Self.manifestName)") { return Self.manifestName }
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
                .filter { $0.lowercased() == Self.manifestName }.min()
        } catch {
            // Without its manifest, what must stay private would be published.
            throw RPCError(.notFound, "cannot list folder \(path): \(error.localizedDescription)", begun: false)
        }
    }

    /// The entries of a manifest. One that is not valid is refused; it does not stop the others.
    private func entries(of name: String, _ text: Data) throws(RPCError) -> [ImportEntry] {
        do throws(RPCError) {
            return try read(name, text, as: .array(of: ImportEntry.codec))
        } catch {
            let values = try read(name, text, as: .array(of: JSONValue.codec))
            guard values.count > 1 else { throw error }
            return values.enumerated().map { index, value in
                do throws(JSONError) {
                    return try RawJSON(value, as: JSONValue.codec).read(as: ImportEntry.codec)
                } catch {
                    return ImportEntry(
                        file: value["file"]?.text ?? value["image"]?.text, id: nil, description: nil, location: nil,
                        comments: [], refusal: "\(name): \(error.inside("[\(index)]"))")
                }
            }
        }
    }

    /// The posts of another program's archive; nil without a list of them.
    private func archive(_ files: FolderFiles) throws(RPCError) -> (list: String, contents: Contents)? {
        if files.has(MastodonArchive.listName) {
            let outbox = try read(MastodonArchive.listName, text(of: MastodonArchive.listName), as: JSONValue.codec)
            let archive = MastodonArchive(files: files, takesSensitive: takesSensitive)
            guard let entries = archive.entries(outbox) else {
                throw foreign(MastodonArchive.listName, "Mastodon: it has no list orderedItems")
            }
            return (MastodonArchive.listName, Contents(entries: entries))
        }
        if let contents = try flickr(files) ?? googlePhotos(files) { return contents }
        let lists = InstagramArchive.lists(in: files)
        guard let first = lists.first else { return nil }
        var posts: [JSONValue] = []
        for list in lists { posts.append(try read(list, text(of: list), as: JSONValue.codec)) }
        guard let entries = InstagramArchive(files: files).entries(posts) else {
            throw foreign(first, "Instagram: it is not a list")
        }
        return (first, Contents(entries: entries))
    }

    private func flickr(_ files: FolderFiles) throws(RPCError) -> (list: String, contents: Contents)? {
        let lists = FlickrArchive.lists(in: files)
        guard let first = lists.first else { return nil }
        let photos = lists.map { (file: $0, content: sidecar($0)) }
        let profile = files.pictures.first { ($0 as NSString).lastPathComponent == FlickrArchive.profileName }
        let archive = FlickrArchive(files: files, takesSensitive: takesSensitive)
        let pictures = files.pictures.filter(mayBePicture)
        guard let entries = archive.entries(photos, pictures: pictures, profile: profile.flatMap(sidecar)) else {
            throw foreign(first, "Flickr: it has no id or no privacy")
        }
        return (first, Contents(entries: entries))
    }

    private func googlePhotos(_ files: FolderFiles) -> (list: String, contents: Contents)? {
        guard let folder = GooglePhotosFolder(files, read: sidecar) else { return nil }
        let pictures = files.pictures.filter(mayBePicture)
        let sidecars = files.pictures.filter { $0.lowercased().hasSuffix(".json") }
        return (
            "the files of Google Photos",
            Contents(entries: folder.entries(pictures), skipped: skipped(files, pictures, others: sidecars.count))
        )
    }

    /// The content of a small file beside pictures; nil if it is not JSON.
    private func sidecar(_ file: String) -> JSONValue? {
        (try? InputFile(path: "\(path)/\(file)").read(upTo: Self.maximumSidecarBytes, isRegular: true))
            .flatMap { try? RawJSON(lenient: ForeignText.utf8($0)).read(as: JSONValue.codec) }
    }

    private static let maximumSidecarBytes = 1 << 20

    /// The text in UTF-8.
    private func text(of list: String, isTyped: Bool = false) throws(RPCError) -> Data {
        let file = InputFile(path: "\(path)/\(list)")
        return ForeignText.utf8(try file.read(upTo: Self.maximumManifestBytes, isRegular: true), isTyped: isTyped)
    }

    private func read<Value>(_ list: String, _ data: Data, as codec: Codec<Value>) throws(RPCError) -> Value {
        do throws(JSONError) {
            return try RawJSON(lenient: data).read(as: codec)
        } catch {
            throw RPCError(.invalidData, "\(path)/\(list): \(error.placed(in: data))", begun: false)
        }
    }

    private func foreign(_ list: String, _ reason: String) -> RPCError {
        RPCError(.invalidData, "\(path)/\(list) is not that of an archive of \(reason)", begun: false)
    }

    /// The endings of the names of pictures, also of those that are refused with their reason.
    private static let endings: Set<String> = [
        "jpg", "jpeg", "jpe", "jfif", "png", "apng", "gif", "webp", "avif", "heic", "heif", "hif", "bmp", "tif",
        "tiff", "jxl",
        "jp2", "svg", "dng", "raw", "cr2", "cr3", "nef", "arw", "orf", "rw2", "psd",
    ]

    /// A file without an ending may be a picture, or a text as `README`. An empty one may be a damaged picture.
    private func mayBePicture(_ file: String) -> Bool {
        let ending = (file as NSString).pathExtension.lowercased()
        guard ending.isEmpty else { return Self.endings.contains(ending) }
        let beginning = InputFile(path: "\(path)/\(file)").beginning(Self.lengthWithZero)
        return beginning.map { $0.isEmpty || $0.contains(0) } ?? true
    }

    /// Within so many bytes each format of pictures has a zero, and no text has one.
    private static let lengthWithZero = 512

    /// All files that may be pictures, those with a date first.
    private func pictures(_ files: FolderFiles) -> Contents {
        let pictures = files.pictures.filter(mayBePicture)
        let dated = pictures.map { file in (file: file, date: PictureMetadata.date(ofFile: "\(path)/\(file)")) }
        let (with, without) = (dated.filter { $0.date != nil }, dated.filter { $0.date == nil })
        let ordered =
            with.enumerated().sorted {
                ($0.element.date ?? .distantPast, -$0.offset) > ($1.element.date ?? .distantPast, -$1.offset)
            }.map(\.element) + without
        let entries = ordered.map { file, date in
            let name = ((file as NSString).lastPathComponent as NSString).deletingPathExtension
            // What is no character in UTF-8 is a replacement character here.
            let isUnreadable = name.unicodeScalars.contains("\u{FFFD}") && !files.has(file)
            return ImportEntry(
                file: file, id: nil, description: nil, location: nil, comments: [], publishedAt: date, unnamed: name,
                refusal: isUnreadable ? "its name is not in UTF-8; rename the file" : nil)
        }
        return Contents(entries: entries, skipped: skipped(files, pictures))
    }

    /// How many files are left out.
    /// - Parameter others: how many files are read for other files.
    private func skipped(_ files: FolderFiles, _ pictures: [String], others: Int = 0) -> [ImportSkip: Int] {
        let sidecars = files.sidecars(of: pictures)
        let counts = [
            ImportSkip.system: files.systemFiles,
            .notPicture: files.pictures.count - pictures.count - sidecars.count - others,
            .sidecar: sidecars.count { XMPSidecar(path: "\(path)/\($0)") == nil },
        ]
        return counts.filter { $0.value > 0 }
    }

    /// The reason why the folder cannot be read, and the remedy; nil when it can be read.
    private var fault: String? {
        guard let folder = opendir(path) else {
            switch errno {
            case ENOTDIR: return "it is not a folder; name the folder of the images"
            case let code: return FileFault.text(code, reading: path)
            }
        }
        closedir(folder)
        return nil
    }

    /// An image file of the folder. A list may name only files in its own folder, and no link leads out of it.
    func picture(_ file: String) throws(RPCError) -> PictureFile {
        let isInside = !file.hasPrefix("/") && !file.split(separator: "/").contains("..")
        guard isInside, !file.isEmpty, !file.utf8.contains(0) else {
            throw RPCError(.invalidData, "the file must be in the folder that is imported", begun: false)
        }
        let found = FolderFiles.matching(file, in: path)
        if let real = Self.realPath("\(path)/\(found)"), let root = Self.realPath(path), !real.hasPrefix(root + "/") {
            throw RPCError(.invalidData, "the file is a link out of the folder that is imported", begun: false)
        }
        return PictureFile(path: "\(path)/\(found)")
    }

    /// Nil for a file that does not exist.
    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        let text = String(cString: real)
        return text == "/" ? "" : text
    }
}
