extension LoadCase {
    /// How soon a handler sees that its caller has cancelled, on a connection where others keep calling.
    static let cancelling = LoadCase(
        name: "cancelling under load", load: Load(underWay: 64, isCancelling: true), patience: 4)
}
