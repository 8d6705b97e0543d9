import Foundation
import ServiceKit

/// Cuts what the program of a plugin prints into lines that begin with the plugin's name, so that none can look like a line of the
/// gateway. Characters that control a terminal are escaped.
struct MarkedLines {
    private let mark: String

    /// The beginning of a line whose end is not there yet.
    private var rest: [UInt8] = []

    /// A longer line becomes several, in bytes. With its mark and its escapes each is written at once.
    static let longestLine = 4_000

    init(plugin: String) { mark = "plugin \(plugin): " }

    /// - Returns: the lines that are complete now.
    mutating func add(_ bytes: some Sequence<UInt8>) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                lines += end(isComplete: true)
            } else {
                if rest.count == Self.longestLine { lines.append(cut()) }
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
        return [line(rest[...])]
    }

    /// Removes a line of the greatest length, but for a character that is not complete.
    private mutating func cut() -> String {
        let start = rest.lastIndex { $0 & 0xC0 != 0x80 } ?? 0
        let isCharacter = rest[start] >= 0xC0 && rest.count - start < 4
        let end = isCharacter ? start : rest.count
        defer { rest.removeFirst(end) }
        return line(rest[..<end])
    }

    private func line(_ bytes: ArraySlice<UInt8>) -> String {
        mark + Escaping.visible(String(decoding: bytes, as: UTF8.self)) + "\n"
    }
}
