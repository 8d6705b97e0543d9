import ArgumentParser
import ImageData
import ImageDataContract

/// The options of fetching images and of keeping what was fetched.
struct FetchOptions: ParsableArguments {
    @Flag(
        name: .customLong("no-fetch"),
        help: ArgumentHelp(
            "Fetch nothing: answer only with bytes that were put.",
            discussion: "By default a service without --upstream fetches an image at its first request."))
    var fetchesNothing = false

    @Option(help: ArgumentHelp("How much is kept in memory.", valueName: "bytes"))
    var hotBytes = HotImages.defaultBudget

    @Option(help: ArgumentHelp("How much is kept on disk.", valueName: "bytes"))
    var coldBytes = SQLiteImageCache.defaultBudget

    @Option(
        help: ArgumentHelp("How long kept images are good for, unless a caller says otherwise.", valueName: "seconds"))
    var ttl = ImageExpiry.defaultTimeToLive

    @Option(help: ArgumentHelp("How many images are fetched at a time.", valueName: "count"))
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
