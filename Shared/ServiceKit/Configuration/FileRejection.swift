/// The reason why a file of the operator is not used, with its path and line.
public struct FileRejection: Error, Equatable, Sendable, CustomStringConvertible {
    public let file: String
    public let line: Int?
    public let reason: String

    public init(file: String, line: Int? = nil, reason: String) {
        // The name of a file may contain control characters.
        self.file = Escaping.visible(file)
        self.line = line
        self.reason = Escaping.visible(reason)
    }

    /// The file's name without its suffix. It is the name of the plugin if the file is named correctly.
    public var name: String {
        let last = file.split(separator: "/").last ?? ""
        return String(last.hasSuffix(".json") ? last.dropLast(5) : last)
    }

    public var description: String { line.map { "\(file):\($0): \(reason)" } ?? "\(file): \(reason)" }
}
