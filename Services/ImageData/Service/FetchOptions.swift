import ArgumentParser
import ImageData
import ImageDataContract

/// The options for fetching and caching images.
struct FetchOptions: ParsableArguments {
    @Flag(
        name: .customLong("no-fetch"),
        help: ArgumentHelp(
            "Do not fetch: serve only bytes that were put.",
            discussion: """
                By default a service fetches an image on its first request. Has no effect with --upstream, from which it fetches.
                """))
    var fetchesNothing = false

    @Option(help: ArgumentHelp("The size of the cache in memory.", valueName: "bytes"))
    var hotBytes = HotImages.defaultBudget

    @Option(help: ArgumentHelp("The size of the cache on disk.", valueName: "bytes"))
    var coldBytes = SQLiteImageCache.defaultBudget

    @Option(
        help: ArgumentHelp("The time to live of cached images, unless a caller sets it.", valueName: "seconds"))
    var ttl = ImageExpiry.defaultTimeToLive

    @Option(help: ArgumentHelp("The maximum number of concurrent fetches.", valueName: "count"))
    var maxFetches = FetchQueue.defaultConcurrency

    func validate() throws {
        try check("--hot-bytes", hotBytes, 0...Self.mostBytes)
        try check("--cold-bytes", coldBytes, 0...Self.mostBytes)
        try check("--ttl", ttl, 0...ImageDataContract.maximumSeconds)
        try check("--max-fetches", maxFetches, 1...Self.mostFetches)
    }

    private static let mostBytes = 1 << 50
    private static let mostFetches = 1_000

    private func check(_ option: String, _ value: Int, _ allowed: ClosedRange<Int>) throws {
        guard !allowed.contains(value) else { return }
        throw ValidationError("\(option) must be from \(allowed.lowerBound) to \(allowed.upperBound)")
    }
}
