import ArgumentParser
import ImageData
import ImageDataContract
import RPC
import SQLiteKit
import ServiceKit
import Upstream

/// The program: its options, and which of two compositions they ask for.
@main
struct ImageDataService: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "image-data-service",
        abstract: "Keep the bytes of an image feed and serve them over a Unix socket.",
        discussion: """
            Images are fetched from their URLs at their first request, and kept in memory and on disk. Without --upstream, \
            bytes can also be put: those stay until they are evicted.

            Examples:
              image-data-service                    serve the default store
              image-data-service --root /srv/feed   a deployment of its own
              image-data-service --no-fetch         serve only what was put
              image-data-service --upstream https://feed.example --hot-bytes 268435456
            """,
        version: ServiceProcess.version)

    @OptionGroup var options: ServiceOptions

    @OptionGroup var storeOptions: StoreOptions

    @Option(
        help: ArgumentHelp(
            "How large an image may be, at most \(ImageDataContract.maximumImageBytes).",
            discussion: "Over 6000000, only callers who take attachments get it.", valueName: "bytes"))
    var maxImageBytes = ImageDataMapper.defaultMaximumBytes

    @OptionGroup(title: "Upstream") var upstreamOptions: UpstreamOptions

    @OptionGroup(title: "Fetching") var fetchOptions: FetchOptions

    @OptionGroup(title: "Profiling") var profileOptions: ProfileOptions

    func validate() throws {
        let allowed = 1...ImageDataContract.maximumImageBytes
        guard allowed.contains(maxImageBytes) else {
            throw ValidationError("--max-image-bytes must be from \(allowed.lowerBound) to \(allowed.upperBound)")
        }
        guard fetchOptions.fetchesNothing else { return }
        guard upstreamOptions.upstream == nil else {
            throw ValidationError("--no-fetch and --upstream exclude each other: an edge has no bytes of its own")
        }
        try upstreamOptions.requireUpstream()
    }

    var mapper: ImageDataMapper { ImageDataMapper(maximumBytes: maxImageBytes) }

    func run() async throws {
        guard !options.isCheck else { return }
        let process = ServiceProcess(name: "image-data", options: options)
        let socket = try process.takeSocket()
        if let upstream = upstreamOptions.upstream {
            try await serveEdge(process, on: socket, of: upstream)
        } else {
            try await serveStandalone(process, on: socket)
        }
    }
}
