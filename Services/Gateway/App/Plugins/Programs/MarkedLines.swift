import Foundation
import ServiceKit

/// Cuts what the program of a plugin prints into lines that begin with the plugin's name, so that none can look like a line of the
/// gateway. Characters that control a terminal are escaped.
struct MarkedLines {
    private let mark: String

    /// The beginning of a line whose end is not there yet.
    private var rest: [UInt8] = []

    /// A longer line becomes several, in bytes, with its mark and its escapes. The kernel writes so many to a pipe at once (`PIPE_BUF`):
    /// no line of the gateway comes between them, after which the rest would have no mark.
    static let longestLine = 4_096

    init(plugin: String) { mark = "plugin \(plugin): " }

    /// - Returns: the lines that are complete now.
    mutating func add(_ bytes: some Sequence<UInt8>) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                lines += end(isComplete: true)
            } else {
                if rest.count == room { lines += cut() }
                rest.append(byte)
            }
        }
        return lines
    }

    /// - Returns: the last line, if it has no end.
    mutating func end() -> [String] { end(isComplete: false) }

    private mutating func end(isComplete: Bool) -> [String] {
        guard isComplete || !rest.isEmpty else { return [] }
        if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
        defer { rest.removeAll(keepingCapacity: true) }
        return marked(rest[...])
    }

    /// Removes a line of the greatest length, but for a character that is not complete.
    private mutating func cut() -> [String] {
        let start = rest.lastIndex { $0 & 0xC0 != 0x80 } ?? 0
        let isCharacter = rest[start] >= 0xC0 && rest.count - start < 4
        let end = isCharacter ? start : rest.count
        defer { rest.removeFirst(end) }
        return marked(rest[..<end])
    }

    /// The bytes of a line beside its mark and its end.
    private var room: Int { Self.longestLine - mark.utf8.count - 1 }

    /// - Returns: several lines if the escapes need more room.
    private func marked(_ bytes: ArraySlice<UInt8>) -> [String] {
        var texts = [""]
        for scalar in Escaping.visible(String(decoding: bytes, as: UTF8.self)).unicodeScalars {
            if texts[texts.count - 1].utf8.count + UTF8.width(scalar) > room { texts.append("") }
            texts[texts.count - 1].unicodeScalars.append(scalar)
        }
        return texts.map { mark + $0 + "\n" }
    }
}
