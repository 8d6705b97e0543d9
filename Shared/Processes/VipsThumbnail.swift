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
    ///   - isTurned: whether the orientation in Exif data applies. It never does in WebP, as in browsers.
    /// - Throws: `LimitedProcess.Failure`, also for a picture with damaged or missing parts; `CancellationError`.
    public func run(
        _ data: Data, size: String, output: String, maximumBytes: Int, isTurned: Bool = true
    ) async throws -> Data {
        let profile = PictureColours(of: data).profile
        let conversion =
            profile == nil
            ? [] : ["--import-profile", LimitedProcess.attachmentPath, "--export-profile", "srgb"]
        let turning = isTurned && !Self.isWebP(data) ? [] : ["--no-rotate"]
        var process = LimitedProcess(
            path: path,
            // By default libvips fills damaged parts with black.
            arguments: ["stdin[fail_on=error]", "--size", size] + conversion + turning + ["--output", output],
            environment: Self.environment, limits: limits)
        process.limits.outputBytes = maximumBytes
        process.attachment = profile
        return try await process.run(data)
    }

    /// Whether the colours of a result are those that browsers show for the picture.
    public static func hasExactColours(_ data: Data) -> Bool { PictureColours(of: data).isExact }

    private static func isWebP(_ data: Data) -> Bool {
        data.count > 12 && data.prefix(4).elementsEqual("RIFF".utf8)
            && data.dropFirst(8).prefix(4).elementsEqual("WEBP".utf8)
    }

    /// One thread for each process, only the formats of libvips's trusted loaders, and large pictures in memory, which is limited,
    /// rather than in files.
    private static let environment = [
        "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "VIPS_CONCURRENCY": "1", "VIPS_BLOCK_UNTRUSTED": "1",
        "VIPS_WARNING": "0", "VIPS_DISC_THRESHOLD": "2g", "MALLOC_ARENA_MAX": "2",
    ]
}
