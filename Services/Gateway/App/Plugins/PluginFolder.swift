import Foundation
import JSON
import ServiceKit

/// Reads the folder `plugins.d`, with one manifest per file. An invalid file is reported and does not affect the
/// other plugins. `PluginChoice` decides between manifests that claim the same.
struct PluginFolder {
    let path: String

    /// The content of the folder at a moment.
    struct Scan: Sendable {
        /// In the order of the file names.
        var manifests: [PluginManifest] = []
        var rejections: [FileRejection] = []

        /// False if the folder exists but cannot be read. Its content is unknown then.
        var isComplete = true

        /// Whether the folder or a file in it is a symbolic link. What it leads to may change outside of the folder.
        var hasLinks = false
    }

    func scan() -> Scan {
        var scan = Scan()
        let names: [String]
        scan.hasLinks = isLink(path)
        do throws(FileRejection) {
            names = try manifestNames()
        } catch {
            return Scan(rejections: [error], isComplete: false, hasLinks: scan.hasLinks)
        }
        for name in names {
            if isLink("\(path)/\(name)") { scan.hasLinks = true }
            do throws(FileRejection) {
                scan.manifests.append(try read(name))
            } catch {
                // A file that was removed meanwhile is not in the folder.
                var status = stat()
                if lstat("\(path)/\(name)", &status) == 0 { scan.rejections.append(error) }
            }
        }
        return scan
    }

    /// The names of the files that are manifests: `*.json`, except hidden ones. Copies and temporary files of editors do not match.
    private func manifestNames() throws(FileRejection) -> [String] {
        guard let folder = opendir(path) else {
            // Without the folder, the gateway has no plugins.
            if errno == ENOENT { return [] }
            throw FileRejection(file: path, reason: "cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(Self.suffix), !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    private static let suffix = ".json"

    private func isLink(_ file: String) -> Bool {
        var status = stat()
        return lstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// The manifest of one plugin, without the others.
    func manifest(of plugin: String) throws(FileRejection) -> PluginManifest { try read(plugin + Self.suffix) }

    private func read(_ name: String) throws(FileRejection) -> PluginManifest {
        let file = "\(path)/\(name)"
        let manifest = try OwnedFile(path: file).read(as: PluginManifest.codec)
        guard name == manifest.name + Self.suffix else {
            throw FileRejection(file: file, reason: "must be called \(manifest.name)\(Self.suffix), after its name")
        }
        return manifest
    }
}
