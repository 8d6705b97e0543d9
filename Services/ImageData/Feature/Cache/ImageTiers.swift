/// Which caches a load may read and write.
public struct ImageTiers: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Memory, which lives with the process.
    public static let hot = ImageTiers(rawValue: 1)

    /// Disk, which survives it.
    public static let cold = ImageTiers(rawValue: 2)

    public static let all: ImageTiers = [.hot, .cold]
}
