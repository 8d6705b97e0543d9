import Foundation

/// The files of a folder and of its subfolders, without hidden ones and without those that systems and programs put there, which are
/// counted.
struct FolderFiles: Sendable {
    let path: String

    /// The paths of the files, by name with numbers as numbers.
    let pictures: [String]

    /// How many files are hidden or of systems.
    let systemFiles: Int

    /// The paths by their last component, in canonical composition.
    private let byName: [String: [String]]

    /// Folders of NAS boxes, archivers and recycle bins, and files of viewers.
    private static let systemNames: Set<String> = [
        "@eadir", "@recycle", "@recently-snapshot", "@tmp", "__macosx", "#recycle", "#snapshot", "$recycle.bin",
        "system volume information", "lost+found", "thumbs.db", "ehthumbs.db", "ehthumbs_vista.db", "desktop.ini",
        "picasa.ini",
        "icon\r", "albumart_small.jpg", "folder.cfg", "sync.ffs_db",
    ]

    init(_ path: String) {
        // A link to a folder has no files.
        let place = URL(filePath: path).resolvingSymlinksInPath().path
        let all = FileManager.default.enumerator(atPath: place)?.compactMap { $0 as? String } ?? []
        var (files, systemFiles) = ([String](), 0)
        for file in all where !Self.isFolder("\(path)/\(file)") {
            let parts = file.split(separator: "/")
            if parts.contains(where: { $0.hasPrefix(".") || Self.systemNames.contains($0.lowercased()) }) {
                systemFiles += 1
            } else {
                files.append(file)
            }
        }
        self.init(path, files, systemFiles: systemFiles)
    }

    /// - Parameter files: paths in the folder.
    init(_ path: String, _ files: [String], systemFiles: Int = 0) {
        self.path = path
        pictures = files.sorted {
            $0.compare($1, options: [.numeric, .caseInsensitive], locale: nil) == .orderedAscending
        }
        self.systemFiles = systemFiles
        byName = Dictionary(grouping: files) { Self.composed(($0 as NSString).lastPathComponent) }
    }

    /// The XMP files beside pictures.
    func sidecars(of pictures: [String]) -> Set<String> {
        Set(pictures.flatMap(XMPSidecar.paths)).intersection(self.pictures)
    }

    func has(_ file: String) -> Bool { FileManager.default.fileExists(atPath: "\(path)/\(file)") }

    /// The file that an address in an archive means: its path is the end of the address. A file of the same name elsewhere may be that of
    /// a private post, a story or an avatar.
    /// - Returns: nil if there is no such file, or if several fit equally well.
    func file(at address: String) -> String? {
        let wanted = Self.components(address)
        guard let name = wanted.last, let candidates = byName[name] else { return nil }
        let fitting = candidates.compactMap { file -> (file: String, count: Int)? in
            let parts = Self.components(file)
            guard parts.count == wanted.count || parts.count >= Self.sureComponents else { return nil }
            return wanted.suffix(parts.count).elementsEqual(parts) ? (file, parts.count) : nil
        }
        let longest = fitting.filter { $0.count == fitting.map(\.count).max() }
        return longest.count == 1 ? longest[0].file : nil
    }

    /// So many components at the end of an address are no coincidence.
    private static let sureComponents = 3

    /// The components of a path, or of the path of a URL.
    private static func components(_ address: String) -> [String] {
        let path = address.firstRange(of: "://").map { address[$0.upperBound...].drop { $0 != "/" } } ?? address[...]
        let plain = path.prefix { $0 != "?" && $0 != "#" }
        return plain.split(separator: "/").map { composed($0.removingPercentEncoding ?? String($0)) }
    }

    private static func composed(_ text: String) -> String { text.precomposedStringWithCanonicalMapping }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// The path of a file whose name may be composed differently on disk than in a list.
    /// - Returns: `file` itself if there is no such file.
    static func matching(_ file: String, in folder: String) -> String {
        if FileManager.default.fileExists(atPath: "\(folder)/\(file)") { return file }
        var found: [String] = []
        for part in file.split(separator: "/").map(String.init) {
            let place = ([folder] + found).joined(separator: "/")
            let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
            guard let name = names.first(where: { composed($0) == composed(part) }) else { return file }
            found.append(name)
        }
        return found.joined(separator: "/")
    }
}
