/// The caches that a load may read and write.
public struct ImageTiers: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Memory; lost when the process exits.
    public static let hot = ImageTiers(rawValue: 1)

    /// Disk; survives a restart.
    public static let cold = ImageTiers(rawValue: 2)

    public static let all: ImageTiers = [.hot, .cold]
}
