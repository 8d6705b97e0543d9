import Foundation

/// `vipsthumbnail` of libvips, which reads a picture of any common format and writes it in another size and format. It applies the
/// orientation, and converts colours to sRGB.
public struct VipsThumbnail: Sendable {
    /// The path of the program.
    let path: String

    public var limits = LimitedProcess.Limits()

    public init(path: String) { self.path = path }

    /// The first `vipsthumbnail` in the folders of a PATH. Debian's package libvips-tools contains it.
    public init?(in folders: String) {
        let candidates = folders.split(separator: ":").map { "\($0)/vipsthumbnail" }
        guard let path = candidates.first(where: FileManager.default.isExecutableFile) else { return nil }
        self.init(path: path)
    }

    /// - Parameters:
    ///   - data: the bytes of the picture. They may be hostile.
    ///   - size: as in `--size`: `320x240` fits the picture into a box, `320x>` only reduces it, `320x240!` ignores the proportions.
    ///   - output: the suffix of the output's format with its options, as in `.png[strip]`.
    ///   - maximumBytes: fails with `tooMuchOutput` above it.
    /// - Throws: `LimitedProcess.Failure`, also for a picture with damaged or missing parts; `CancellationError`.
    public func run(_ data: Data, size: String, output: String, maximumBytes: Int) async throws -> Data {
        var process = LimitedProcess(
            path: path,
            // By default libvips fills damaged parts with black.
            arguments: ["stdin[fail_on=error]", "--size", size, "--export-profile", "srgb", "--output", output],
            environment: Self.environment, limits: limits)
        process.limits.outputBytes = maximumBytes
        return try await process.run(data)
    }

    /// One thread for each process, only the formats of libvips's trusted loaders, and large pictures in memory, which is limited,
    /// rather than in files.
    private static let environment = [
        "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "VIPS_CONCURRENCY": "1", "VIPS_BLOCK_UNTRUSTED": "1",
        "VIPS_WARNING": "0", "VIPS_DISC_THRESHOLD": "2g", "MALLOC_ARENA_MAX": "2",
    ]
}
