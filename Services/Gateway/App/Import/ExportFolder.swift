import Crypto
import Foundation
import JSON
import RPC

/// The folder of an export.
struct ExportFolder {
    let path: String

    /// A hidden file, which import ignores. It marks folders that an export may change.
    static let markerName = ".image-feed-export"

    /// The file names of images by content type.
    private static let extensions = [
        "image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp", "image/avif": "avif",
    ]

    static func fileName(_ id: UUID, contentType: String) -> String {
        "\(id.uuidString).\(extensions[contentType] ?? "image")"
    }

    /// Creates the folder, or checks that it is empty or an earlier export.
    func prepare() throws(RPCError) {
        if mkdir(path, 0o777) != 0, errno != EEXIST { throw failure(path, errno) }
        guard let folder = opendir(path) else { throw failure(path, errno) }
        defer { closedir(folder) }
        var isEmpty = true
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if name == Self.markerName { return }
            if name != ".", name != ".." { isEmpty = false }
        }
        guard isEmpty else {
            throw RPCError(
                .alreadyExists,
                "folder \(path) has other files: name a new or empty folder, or that of an earlier export",
                begun: false)
        }
        try write(Data(), to: Self.markerName)
    }

    func write(_ data: Data, to file: String) throws(RPCError) {
        do throws(OutputFile.Failure) {
            try OutputFile(path: "\(path)/\(file)").write(data)
        } catch {
            throw RPCError(.internalError, "cannot write \(path)/\(file): \(error)", begun: false)
        }
    }

    /// The file of an item, of any content type; nil when there is none.
    func file(of id: UUID) -> String? {
        (Self.extensions.values + ["image"]).map { "\(id.uuidString).\($0)" }.first {
            FileManager.default.fileExists(atPath: "\(path)/\($0)")
        }
    }

    /// The SHA-256 of a file in lower-case hexadecimal; nil when it cannot be read.
    func hash(of file: String) -> String? {
        guard let data = FileManager.default.contents(atPath: "\(path)/\(file)") else { return nil }
        return SHA256.hash(data: data).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    func beginManifest() throws(RPCError) -> Manifest { try Manifest(path: "\(path)/\(ImportFolder.manifestName)") }

    private func failure(_ file: String, _ code: Int32) -> RPCError {
        RPCError(.internalError, "cannot write \(file): \(FileFault.text(code))", begun: false)
    }

    /// Writes the manifest entry by entry into a temporary file, and renames it at the end.
    final class Manifest {
        private let path: String
        private let file: UnsafeMutablePointer<FILE>
        private var isFirst = true

        private var partPath: String { path + ".part" }

        fileprivate init(path: String) throws(RPCError) {
            self.path = path
            guard let file = fopen(path + ".part", "we") else { throw Self.failure(path, errno) }
            self.file = file
        }

        deinit { fclose(file) }

        func add(_ entry: ImportEntry) throws(RPCError) {
            try put((isFirst ? "[\n" : ",\n") + "\(RawJSON(entry, as: ImportEntry.codec))")
            isFirst = false
        }

        func finish() throws(RPCError) {
            try put(isFirst ? "[]\n" : "\n]\n")
            guard fflush(file) == 0, rename(partPath, path) == 0 else { throw Self.failure(path, errno) }
        }

        private func put(_ text: String) throws(RPCError) {
            guard fputs(text, file) >= 0 else { throw Self.failure(path, errno) }
        }

        private static func failure(_ path: String, _ code: Int32) -> RPCError {
            RPCError(.internalError, "cannot write \(path): \(FileFault.text(code))", begun: false)
        }
    }
}
