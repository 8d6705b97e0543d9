extension LoadCase {
    /// What a caller sees who shares its connection with four that fetch pictures.
    static let besideLarge = LoadCase(name: "1 KB beside four of 4 MB", load: Load(largeCallers: 4), patience: 4)
}
