import BenchKit

/// One part of the comparison. A new one is a type of its own, and a line in `allCases`.
protocol Case: Sendable {
    var name: String { get }

    func run(in bench: Bench) async throws -> [Block]
}

let allCases: [any Case] = [
    WarmPictures(), AuthorityPictures(), ColdPicture(), Cancelling(), Prefetching(), KeptPictures(), ColdTier(),
]

/// What all cases have.
struct Bench: Sendable {
    let rounds: Int

    /// Per measurement.
    let seconds: Double
    let photos: Photos
    let isQuick: Bool
    let progress: ProgressLine

    /// Connections come up, and code is loaded, before anything counts.
    var warmUpSeconds: Double { seconds / 5 }
}
