import Foundation
import JSON
import NIOCore
import RPC

/// Reads the folder `plugins.d`, with one manifest per file. An invalid file is reported and does not affect the
/// other plugins.
struct PluginFolder {
    let path: String

    /// The largest manifest that is read.
    static let maximumBytes = 64 * 1_024

    /// The reason why a file is rejected, with its path and line.
    struct Rejection: Error, Equatable, CustomStringConvertible {
        let file: String
        let line: Int?
        let reason: String

        var description: String { line.map { "\(file):\($0): \(reason)" } ?? "\(file): \(reason)" }
    }

    /// - Returns: the manifests in the order of their file names, and the rejected files.
    func scan() -> (manifests: [PluginManifest], rejections: [Rejection]) {
        var manifests: [PluginManifest] = []
        var rejections: [Rejection] = []
        for file in files {
            do throws(Rejection) {
                let manifest = try read(file)
                if let conflict = manifest.conflict(with: manifests) {
                    throw Rejection(file: file, line: nil, reason: conflict)
                }
                manifests.append(manifest)
            } catch {
                rejections.append(error)
            }
        }
        return (manifests, rejections)
    }

    private var files: [String] {
        // Without the folder, the gateway has no plugins.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted().map { "\(path)/\($0)" }
    }

    private func read(_ file: String) throws(Rejection) -> PluginManifest {
        guard let data = FileManager.default.contents(atPath: file), data.count <= Self.maximumBytes else {
            throw Rejection(file: file, line: nil, reason: "cannot be read, or is over \(Self.maximumBytes) bytes")
        }
        let manifest: PluginManifest
        do throws(JSONError) {
            manifest = try RawJSON(checking: data)
                .read(as: PluginManifest.codec, refusingUnknownMembers: true)
        } catch {
            throw Rejection(file: file, line: line(of: error, in: data), reason: "\(error)")
        }
        let expected = manifest.name + ".json"
        guard (file as NSString).lastPathComponent == expected else {
            throw Rejection(file: file, line: nil, reason: "must be called \(expected)")
        }
        return manifest
    }

    private func line(of error: JSONError, in data: Data) -> Int? {
        guard case .syntax(_, let offset) = error else { return nil }
        return data.prefix(offset).count { $0 == UInt8(ascii: "\n") } + 1
    }
}
