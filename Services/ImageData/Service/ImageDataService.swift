import ArgumentParser
import EdgeKit
import ImageData
import ImageDataContract
import PostgresKit
import SQLiteKit
import ServiceKit

/// The program: its options, and the choice between its two compositions.
@main
struct ImageDataService: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "image-data-service",
        abstract: "Store the images of a feed and serve them over a Unix socket.",
        discussion: """
            Images are fetched from their URLs on their first request, and cached in memory and on disk. \
            Without --upstream, bytes can also be put: they remain until they are evicted. With vipsthumbnail, smaller \
            variants are made on their first request, and cached too.

            Examples:
              image-data-service                    serve the default store
              image-data-service --root /srv/feed   serve another deployment
              image-data-service --no-fetch         serve only what was put
              image-data-service --upstream https://feed.example --hot-bytes 268435456
            """,
        version: ServiceProcess.version)

    static let sections = [ConfigurationFile.services, "image-data"]

    static func main() async { await start() }

    @OptionGroup var options: ServiceOptions

    @OptionGroup var storeOptions: StoreOptions

    @Option(
        help: ArgumentHelp(
            "The maximum size of an image, at most \(ImageDataContract.maximumImageBytes).",
            discussion: "Only callers that accept attachments get images over 6000000 bytes.", valueName: "bytes"))
    var maxImageBytes = ImageDataMapper.defaultMaximumBytes

    @OptionGroup(title: "Maintenance") var maintenance: MaintenanceOptions

    @OptionGroup(title: "Upstream") var upstreamOptions: UpstreamOptions

    @OptionGroup(title: "Fetching") var fetchOptions: FetchOptions

    @OptionGroup(title: "Variants") var variantOptions: VariantOptions

    @OptionGroup(title: "Profiling") var profileOptions: ProfileOptions

    func validate() throws {
        try storeOptions.check(isCache: upstreamOptions.upstream != nil, maintenance)
        let allowed = 1...ImageDataContract.maximumImageBytes
        guard allowed.contains(maxImageBytes) else {
            throw ValidationError("--max-image-bytes must be from \(allowed.lowerBound) to \(allowed.upperBound)")
        }
    }

    var mapper: ImageDataMapper { ImageDataMapper(maximumBytes: maxImageBytes) }

    func run() async throws {
        let process = ServiceProcess(name: "image-data", options: options)
        guard !options.isCheck else {
            // An edge does not use the store, and replaces its cache.
            guard upstreamOptions.upstream == nil else { return }
            if let url = storeOptions.database { return try process.checkDatabase(ImageTables.schema, at: url) }
            return try process.checkStore(SQLiteImageStore.opening, storeOptions)
        }
        if let target = maintenance.copyTarget { return try await copy(to: target, process) }
        guard try !process.maintain(stores(in: options.root), maintenance) else { return }
        let socket = try process.takeSocket()
        if let upstream = upstreamOptions.upstream {
            try await serveEdge(of: upstream, process, on: socket)
        } else {
            try await serveStandalone(process, on: socket)
        }
    }

    /// The stores of this deployment. An edge may have that of the authority that it was before.
    private func stores(in root: Root) -> [VerifiedStore] {
        let isEdge = upstreamOptions.upstream != nil
        let (own, cache) = (root.store("image-data"), root.store(isEdge ? "image-data-edge" : "image-data-cache"))
        let path = storeOptions.path
        return [
            VerifiedStore(SQLiteImageStore.opening, at: isEdge ? own : path ?? own, content: SQLiteImageStore.verify),
            VerifiedStore(
                SQLiteImageCache.opening, at: isEdge ? path ?? cache : cache, content: SQLiteImageCache.verify),
        ]
    }
}
