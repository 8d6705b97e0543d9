import ArgumentParser
import Foundation
import Glibc
import JSON

/// What `ROOT/config.json` sets: an object of options for each program of the deployment.
///
/// A member of such an object is an option of the program's command line, without its dashes: `{"gateway": {"http": "off"}}` is
/// `gateway serve --http off`. So `--help` documents every member, and the parser of the options checks it. `true` is a flag, an
/// array a repeated option, and an object an option whose values are NAME=VALUE.
public struct ConfigurationFile: Sendable {
    public let file: OwnedFile
    public private(set) var members = JSONMembers()

    /// The content of the file, which has the lines of its members.
    private var text = Data()

    /// The name of the file in the directory of a deployment.
    public static let name = "config.json"

    /// The suffix of a copy that `deploy/up` keeps.
    private static let appliedSuffix = ".applied"

    /// The member with the options that feed, comments and image-data share.
    public static let services = "services"

    /// The options that apply to one start, or say where the file is.
    private static let excluded = [
        "root", "config", "socket", "check", "create", "new-store", "backup", "restore", "verify", "repair", "help",
        "version", "experimental-dump-help", "generate-completion-script",
    ]

    /// Nothing is set if there is no file, and never was one.
    public init(path: String) throws(FileRejection) {
        file = OwnedFile(path: path)
        var status = stat()
        guard lstat(path, &status) == 0 || errno != ENOENT else {
            // An edge would become an authority.
            guard lstat(path + Self.appliedSuffix, &status) != 0 else {
                throw FileRejection(
                    file: path,
                    reason: "is missing, although this deployment has settings; copy them back from "
                        + "\(path)\(Self.appliedSuffix), or remove that file, too, to start without any")
            }
            return
        }
        text = try file.text()
        do throws(JSONError) {
            guard let object = try JSONValue(json: text).members else {
                throw .mismatch(path: "", reason: "must be an object")
            }
            members = object
        } catch {
            throw file.rejection(error, in: text)
        }
    }

    /// - Returns: nil if the file has no such member.
    public func read<Value>(_ member: String, as codec: Codec<Value>) throws(FileRejection) -> Value? {
        guard let value = members[member] else { return nil }
        do throws(JSONError) {
            return try value.rawJSON.read(as: codec, refusingUnknownMembers: true)
        } catch {
            throw file.rejection(error.inside(member), in: text)
        }
    }

    public func rejection(at path: String, _ reason: String) -> FileRejection {
        file.rejection(JSONError.mismatch(path: path, reason: reason), in: text)
    }

    /// The words that set the options of a program.
    /// - Parameter sections: the names of the objects with its options, the common one first.
    public func words(
        for program: any ParsableArguments.Type, in sections: [String]
    ) throws(FileRejection) -> [String] {
        var settings: [Setting] = []
        for section in sections {
            guard let value = members[section] else { continue }
            guard let options = value.members else { throw rejection(at: section, "must be an object") }
            for (option, value) in options { settings.append(try setting(option, value, in: section)) }
        }
        try check(settings, for: program)
        return settings.flatMap(\.words)
    }

    /// One member, and the words that it stands for.
    private struct Setting {
        let path: String
        let words: [String]

        /// What the parser must accept: `false` has no words, but the option must exist.
        let checkedWords: [String]
    }

    private func setting(_ option: String, _ value: JSONValue, in section: String) throws(FileRejection) -> Setting {
        let path = "\(section).\(option)"
        guard !Self.excluded.contains(option) else { throw rejection(at: path, "belongs on the command line") }
        guard option.wholeMatch(of: /[a-z][a-z0-9-]*/) != nil else {
            throw rejection(at: path, "is not the name of an option")
        }
        if case .boolean(let isSet) = value {
            return Setting(path: path, words: isSet ? ["--\(option)"] : [], checkedWords: ["--\(option)"])
        }
        var texts: [String] = []
        for element in value.elements ?? [value] {
            if let settings = element.members {
                for (name, value) in settings { texts.append(try "\(name)=\(text(of: value, at: "\(path).\(name)"))") }
            } else {
                texts.append(try text(of: element, at: path))
            }
        }
        guard !texts.isEmpty else { throw rejection(at: path, "must not be empty") }
        // With the equals sign a value may begin with a dash.
        let words = texts.map { "--\(option)=\($0)" }
        return Setting(path: path, words: words, checkedWords: words)
    }

    private func text(of value: JSONValue, at path: String) throws(FileRejection) -> String {
        guard let text = value.text ?? value.number?.text else {
            throw rejection(at: path, "must be a string, a number, true, false, or an array or object of such values")
        }
        guard !text.utf8.contains(0) else { throw rejection(at: path, "must not contain U+0000") }
        return text
    }

    /// Lets the program's parser check the options.
    /// - Throws: the parser's message, at the member that is wrong: the one without which the others are right, or else the first that
    ///   is wrong alone.
    private func check(_ settings: [Setting], for program: any ParsableArguments.Type) throws(FileRejection) {
        guard let message = Self.complaint(of: program, about: settings) else { return }
        let culprit =
            settings.indices.first { index in
                Self.complaint(of: program, about: settings[..<index] + settings[(index + 1)...]) == nil
            } ?? settings.indices.first { Self.complaint(of: program, about: [settings[$0]]) != nil }
        guard let culprit else { throw FileRejection(file: file.path, reason: message) }
        let own = Self.complaint(of: program, about: [settings[culprit]]) ?? message
        throw rejection(at: settings[culprit].path, own)
    }

    private static func complaint(
        of program: any ParsableArguments.Type, about settings: some Sequence<Setting>
    ) -> String? {
        do {
            _ = try program.parse(settings.flatMap(\.checkedWords))
            return nil
        } catch {
            // A list of values has a line for each.
            let lines = program.message(for: error).split(whereSeparator: \.isNewline)
            return lines.map { $0.hasPrefix("  - ") ? $0.dropFirst(4) : $0 }.joined(separator: " ")
        }
    }
}
