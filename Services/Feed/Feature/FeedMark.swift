import Foundation

/// A place in the log of changes, as a watcher keeps it: so many changes into one life of the service.
public struct FeedMark: Equatable, Sendable {
    public let life: String

    /// Of the change that the watcher has seen last; 0 before the first.
    public let number: Int

    public init(life: String, number: Int) {
        self.life = life
        self.number = number
    }
}

extension FeedMark {
    private static let separator: Character = "."

    /// What watchers are given, and need not understand.
    public var text: String { "\(life)\(Self.separator)\(number)" }

    /// Nil for what no service has ever given to anybody.
    public init?(_ text: String) {
        guard let separator = text.lastIndex(of: Self.separator),
            let number = Int(text[text.index(after: separator)...])
        else { return nil }
        self.init(life: String(text[..<separator]), number: number)
        // `Int` takes "+7" and "007" as well.
        if self.text != text { return nil }
    }
}
