extension LoadCase {
    /// The time until a handler sees its cancellation, on a connection with other running calls.
    static let cancelling = LoadCase(
        name: "cancelling under load", load: Load(underWay: 64, isCancelling: true), patience: 4)
}
