import Foundation
import JSON
import ServiceKit

/// `backup.json`: what a backup contains.
struct BackupManifest: Sendable, Equatable {
    /// That of the format of backups.
    private(set) var format = Self.format

    /// The version of the programs that wrote the backup.
    let version: String
    let time: Date

    /// The directory of the deployment, without links; nil in the backups of earlier versions.
    let root: String?
    var files: [File] = []

    struct File: Sendable, Equatable {
        /// Relative to the backup, and to the root of the deployment.
        let path: String
        let size: Int

        /// In lower-case hexadecimal.
        let sha256: String
    }

    static let name = "backup.json"

    /// A later version of the format gets a higher number.
    private static let format = 1

    /// Whether this version of the program can restore the backup.
    var isKnown: Bool { format <= Self.format }

    var size: Int { files.reduce(0) { $0 + $1.size } }

    static let codec = Codec<BackupManifest>.object { object in
        let format = object.required("format", .integer(1 ... .max), \.format)
        let version = object.required("version", .string, \.version)
        let time = object.required("time", .date, \.time)
        let root = object.optional("root", .string, \.root)
        let files = object.required("files", .array(of: File.codec), \.files)
        return { members throws(JSONError) in
            BackupManifest(
                format: try members[format], version: try members[version], time: try members[time],
                root: try members[root], files: try members[files])
        }
    }
}

extension BackupManifest.File {
    fileprivate static let codec = Codec<BackupManifest.File>.object { object in
        let path = object.required("path", .string.map(into: inside, from: { $0 }), \.path)
        let size = object.required("size", .integer(0 ... .max), \.size)
        let sha256 = object.required("sha256", .string, \.sha256)
        return { members throws(JSONError) in
            BackupManifest.File(
                path: try members[path], size: try members[size], sha256: try members[sha256])
        }
    }

    private static func inside(_ path: String) throws(JSONError) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !["", ".", ".."].contains($0) }), !path.utf8.contains(0) else {
            throw .refused("must be a path inside the backup")
        }
        return path
    }

    /// The service whose store the file is; nil for another file of the deployment.
    var service: String? {
        ServiceProgram.services.first { Self.path(ofStoreOf: $0) == path }
    }

    static func path(ofStoreOf service: String) -> String { "data/\(service).sqlite" }
}

extension Root {
    /// Its path without links.
    var resolved: String { URL(filePath: path).resolvingSymlinksInPath().path }
}
