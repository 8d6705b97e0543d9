extension LoadCase {
    /// A caller that shares its connection with four callers of large replies.
    static let besideLarge = LoadCase(name: "1 KB beside four of 4 MB", load: Load(largeCallers: 4), patience: 4)
}
