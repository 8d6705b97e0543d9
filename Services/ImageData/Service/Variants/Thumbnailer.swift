import EdgeModel
import Foundation
import ImageData
import Processes

/// Makes variants and placeholders. They contain no metadata: place, camera and profile.
struct Thumbnailer: Sendable {
    var program: VipsThumbnail

    /// A result would not look as the picture does in browsers.
    struct LooksDifferent: Error {}

    /// - Parameter maximumBytes: fails with `tooMuchOutput` above it.
    /// - Throws: `LooksDifferent` too.
    func variant(of data: Data, width: Int, format: VariantFormat, maximumBytes: Int) async throws -> Data {
        guard VipsThumbnail.hasExactColours(data) else { throw LooksDifferent() }
        let made = try await run(data, size: "\(width)x>", output: format.output, maximumBytes: maximumBytes)
        guard format == .webp else { return made }
        // `strip` of libvips 8.14 leaves metadata in a WebP.
        guard let clean = WebPMetadata.removed(from: made) else {
            throw LimitedProcess.Failure.failed(code: 0, "its output is no WebP")
        }
        return clean
    }

    /// Makes a placeholder, whose colours may be inexact.
    /// - Throws: `LooksDifferent` too.
    func placeholder(of data: Data, _ facts: PictureFacts) async throws -> Placeholder {
        // Behind transparent parts a light grey, which is visible in neither scheme of the page.
        let (columns, rows) = Placeholder.grid(width: facts.width, height: facts.height)
        let ppm = try await run(
            data, size: "\(columns)x\(rows)!", output: ".ppm[background=200]", maximumBytes: 1_000)
        // The header ends with the maximum value; the pixels are the rest.
        let pixels = ppm.suffix(3 * columns * rows)
        guard ppm.starts(with: Data("P6".utf8)), ppm.dropLast(pixels.count).suffix(5) == Data("\n255\n".utf8),
            let placeholder = Placeholder(Data([UInt8(columns << 4 | rows)]) + pixels)
        else { throw LimitedProcess.Failure.failed(code: 0, "its output is not a PPM of the requested size") }
        return placeholder
    }

    /// Runs the program so that it draws what browsers draw.
    private func run(_ data: Data, size: String, output: String, maximumBytes: Int) async throws -> Data {
        let info = try? ImageInspector.inspect(data)
        var data = data
        switch info?.drawing {
        case .other: throw LooksDifferent()
        case .partly(let end): data.insert(contentsOf: Self.transparentFrame, at: data.startIndex + end)
        case .same, nil: break
        }
        if let (exif, place) = info?.plainExif { data.insert(contentsOf: exif, at: data.startIndex + place) }
        return try await program.run(
            data, size: size, output: output, maximumBytes: maximumBytes, isTurned: info?.orientation != .upright)
    }

    /// A GIF's frame of one transparent pixel. With one in the file libvips leaves uncovered parts transparent.
    private static let transparentFrame: [UInt8] = [
        0x21, 0xF9, 4, 1, 0, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0,
    ]

    /// Whether the program can read a picture that is certainly good.
    func works() async -> Bool {
        let facts = PictureFacts(width: 1, height: 1, frames: 1)
        return (try? await placeholder(of: Self.pixel, facts)) != nil
    }

    /// A PNG of one pixel.
    private static let pixel =
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
        ) ?? Data()
}

extension VariantFormat {
    /// The suffix and the options of the output. `Tests/Benchmarks/README.md` has the figures behind them.
    fileprivate var output: String {
        switch self {
        case .webp: ".webp[Q=75,effort=2,strip]"
        case .jpeg: ".jpg[Q=80,optimize_coding,strip,background=255]"
        case .png: ".png[strip]"
        }
    }
}
