import BenchKit

/// One part of the comparison. To add one, write a type and add it to `allCases`.
protocol Case: Sendable {
    var name: String { get }

    func run(in bench: Bench) async throws -> [Block]
}

let allCases: [any Case] = [
    FeedPage(), FirstHTML(), FrequentPictures(), PictureVariants(),
    WarmPictures(), AuthorityPictures(), ColdPicture(), Cancelling(), Prefetching(), CachedPictures(), ColdTier(),
]

/// The settings of all cases.
struct Bench: Sendable {
    let rounds: Int

    /// Seconds per measurement.
    let seconds: Double
    let photos: Photos
    let isQuick: Bool

    /// The program of the server to compare with; nil if it cannot be built.
    let hummingbird: String?
    let progress: ProgressLine

    /// The warm-up, in which connections are opened and code is loaded.
    var warmUpSeconds: Double { seconds / 5 }
}
