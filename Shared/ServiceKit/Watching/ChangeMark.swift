import Foundation

/// A watcher's position in a log of changes.
public struct ChangeMark: Equatable, Sendable {
    /// Tells the change from those with the same number in other logs.
    public let life: String

    /// The number of the last change that the watcher has received; 0 before the first.
    public let number: Int

    public init(life: String, number: Int) {
        self.life = life
        self.number = number
    }
}

extension ChangeMark {
    private static let separator: Character = "."

    /// The mark as clients see it; they need not interpret it.
    public var text: String { "\(life)\(Self.separator)\(number)" }

    /// Nil for a text that no service has issued.
    public init?(_ text: String) {
        guard let separator = text.lastIndex(of: Self.separator),
            let number = Int(text[text.index(after: separator)...])
        else { return nil }
        self.init(life: String(text[..<separator]), number: number)
        // `Int` also accepts "+7" and "007".
        if self.text != text { return nil }
    }
}
