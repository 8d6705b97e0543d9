import Crypto
import Foundation
import JSON
import RPC
import ServiceKit

/// The folder of an export. A command that cannot write it exits with 74.
struct ExportFolder {
    let path: String

    /// A hidden file, which import ignores. It marks folders that an export may change.
    static let markerName = ".image-feed-export"

    static func fileName(_ id: UUID, contentType: String) -> String {
        "\(id.uuidString).\(PictureName.extensions[contentType] ?? "image")"
    }

    /// Creates the folder, or checks that it is empty or an earlier export.
    func prepare() throws(CommandFailure) {
        if mkdir(path, 0o777) != 0, errno != EEXIST { throw .unwritable(path, errno) }
        guard let folder = opendir(path) else { throw .unwritable(path, errno) }
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
            throw CommandFailure(
                RPCError(
                    .alreadyExists,
                    "folder \(path) has other files: name a new or empty folder, or that of an earlier export",
                    begun: false))
        }
        try write(Data(), to: Self.markerName)
    }

    func write(_ data: Data, to file: String) throws(CommandFailure) {
        do throws(OutputFile.Failure) {
            try OutputFile(path: "\(path)/\(file)").write(data)
        } catch {
            throw .unwritable("\(path)/\(file)", "\(error)")
        }
    }

    /// The file of an item, of any content type; nil when there is none.
    func file(of id: UUID) -> String? {
        (PictureName.extensions.values + ["image"]).map { "\(id.uuidString).\($0)" }.first {
            FileManager.default.fileExists(atPath: "\(path)/\($0)")
        }
    }

    /// The SHA-256 of a file in lower-case hexadecimal; nil when it cannot be read.
    func hash(of file: String) -> String? {
        guard let data = FileManager.default.contents(atPath: "\(path)/\(file)") else { return nil }
        return SHA256.hash(data: data).hexadecimal
    }

    func beginManifest() throws(CommandFailure) -> Manifest {
        try Manifest(path: "\(path)/\(ImportFolder.manifestName)")
    }

    /// Writes the manifest entry by entry into a temporary file, and renames it at the end.
    final class Manifest {
        private let path: String
        private let file: UnsafeMutablePointer<FILE>
        private var isFirst = true

        private var partPath: String { path + ".part" }

        fileprivate init(path: String) throws(CommandFailure) {
            self.path = path
            guard let file = fopen(path + ".part", "we") else { throw .unwritable(path, errno) }
            self.file = file
        }

        deinit { fclose(file) }

        func add(_ entry: ImportEntry) throws(CommandFailure) {
            try put((isFirst ? "[\n" : ",\n") + "\(RawJSON(entry, as: ImportEntry.codec))")
            isFirst = false
        }

        func finish() throws(CommandFailure) {
            try put(isFirst ? "[]\n" : "\n]\n")
            guard fflush(file) == 0, rename(partPath, path) == 0 else { throw .unwritable(path, errno) }
        }

        private func put(_ text: String) throws(CommandFailure) {
            guard fputs(text, file) >= 0 else { throw .unwritable(path, errno) }
        }
    }
}

extension CommandFailure {
    fileprivate static func unwritable(_ file: String, _ code: Int32) -> CommandFailure {
        unwritable(file, FileFault.text(writing: code))
    }

    fileprivate static func unwritable(_ file: String, _ reason: String) -> CommandFailure {
        CommandFailure(
            RPCError(.internalError, "cannot write \(file): \(reason)", begun: false), exitCode: EX_IOERR)
    }
}
