import Foundation
import ServiceKit

/// A line that shows progress: `[#########-----] 42/105 photo.jpg`.
struct ProgressLine: Sendable {
    enum Unit: Sendable {
        case items
        case bytes
    }

    let done: Int
    /// Nil when the total is unknown: the line then has a count and no bar.
    let total: Int?
    let unit: Unit
    let label: String

    /// The line, at most `width` columns wide: the label is shortened first, then the bar.
    func rendered(in width: Int) -> String {
        let front = [bar(in: width), counts].compactMap(\.self).joined(separator: " ")
        let room = width - DisplayWidth.of(front + " ")
        let label = DisplayWidth.truncated(Escaping.visible(label), to: room)
        return label.isEmpty ? DisplayWidth.truncated(front, to: width) : "\(front) \(label)"
    }

    private func bar(in width: Int) -> String? {
        guard let total else { return nil }
        let length = min(max(width / 4, Self.shortestBar), Self.longestBar)
        guard length + "[] ".count + counts.count <= width else { return nil }
        let filled = Int(share(of: total) * Double(length))
        return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: length - filled) + "]"
    }

    private static let shortestBar = 4
    private static let longestBar = 30

    /// Always between 0 and 1. Without any work the share is 1.
    private func share(of total: Int) -> Double {
        total > 0 ? min(max(Double(done) / Double(total), 0), 1) : 1
    }

    private var counts: String {
        [done, total].compactMap(\.self).map(amount).joined(separator: "/")
    }

    private func amount(_ count: Int) -> String {
        switch unit {
        case .items: String(count)
        case .bytes: Int64(count).formatted(.byteCount(style: .file, spellsOutZero: false).locale(Self.locale))
        }
    }

    private static let locale = Locale(identifier: "en_US_POSIX")
}
