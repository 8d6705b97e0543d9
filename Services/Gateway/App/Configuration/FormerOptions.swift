import Foundation
import Glibc
import JSON
import ServiceKit

/// The options of a deployment that was started before there was `config.json` for them: words of command lines in
/// `ROOT/upstream.options` and `ROOT/options/PROGRAM`.
struct FormerOptions {
    private let root: Root

    /// The words of each file, by the name of the object that gets them.
    private var words: [(section: String, words: [Substring])] = []

    private static let upstream = "upstream.options"
    private static let folder = "options"

    init(of root: Root, httpPort: Int?) throws {
        self.root = root
        if let words = try Self.words(of: "\(root.path)/\(Self.upstream)") {
            self.words.append((ConfigurationFile.services, words))
        }
        for program in ["feed", "comments", "image-data", "gateway"] {
            guard let words = try Self.words(of: "\(root.path)/\(Self.folder)/\(program)") else { continue }
            self.words.append((program, words))
        }
        let hasHTTP = words.contains { $0.section == "gateway" && $0.words.contains { $0.hasPrefix("--http") } }
        if let httpPort, !hasHTTP { words.append(("gateway", ["--http=127.0.0.1:\(httpPort)"])) }
    }

    var isEmpty: Bool { words.isEmpty }

    /// - Returns: nil if there is no file.
    private static func words(of path: String) throws -> [Substring]? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return text.split(whereSeparator: \.isNewline).flatMap { line in
            line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
        }
    }

    /// Settings that are there already stay.
    func set(in members: inout JSONMembers) {
        var added: [(name: SettingName, values: [String])] = []
        for (section, words) in words {
            var rest = words[...]
            while let word = rest.popFirst() {
                let parts = word.drop { $0 == "-" }.split(separator: "=", maxSplits: 1).map(String.init)
                guard let option = parts.first else { continue }
                var value = parts.count > 1 ? parts[1] : "true"
                if parts.count == 1, let next = rest.first, !next.hasPrefix("--") {
                    value = String(next)
                    rest.removeFirst()
                }
                let name = SettingName(option == "no-fetch" ? "image-data" : section, option)
                if let index = added.firstIndex(where: { $0.name.parts == name.parts }) {
                    added[index].values.append(value)
                } else {
                    added.append((name, [value]))
                }
            }
        }
        for (name, values) in added where members[name.parts[0]]?[name.parts[1]] == nil {
            members.set(name, to: values)
        }
    }

    /// Renames the files, which nothing reads any more.
    func putAside() throws {
        for name in [Self.upstream, Self.folder] where FileManager.default.fileExists(atPath: "\(root.path)/\(name)") {
            guard rename("\(root.path)/\(name)", "\(root.path)/\(name).old") == 0 else {
                let reason = "cannot be renamed: \(String(cString: strerror(errno)))"
                throw FileRejection(file: "\(root.path)/\(name)", reason: reason)
            }
        }
    }
}
