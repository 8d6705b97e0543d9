import Foundation
import ServiceKit

/// The operator's picture for the bar of the page, for tabs and for home screens.
struct SiteLogo: Sendable, Equatable {
    let asset: Asset

    /// Width and height in pixels.
    let side: Int

    static let maximumBytes = 512 * 1_024
    static let sides = 192...1_024

    /// - Throws: `FileRejection` for a file that is no square PNG of such a size.
    init(_ file: OwnedFile) throws(FileRejection) {
        let data = try file.read(upTo: Self.maximumBytes)
        guard let size = Self.size(of: data) else {
            throw FileRejection(file: file.path, reason: "is not a PNG picture")
        }
        guard size.width == size.height, Self.sides.contains(size.width) else {
            throw FileRejection(
                file: file.path,
                reason: "has \(size.width) × \(size.height) pixels; a logo must be square, with a side of "
                    + "\(Self.sides.lowerBound) to \(Self.sides.upperBound)")
        }
        side = size.width
        asset = Asset("logo", "png", data)
    }

    static func == (one: SiteLogo, other: SiteLogo) -> Bool { one.asset.path == other.asset.path }

    /// The size in the first chunk, which PNG requires to be IHDR.
    private static func size(of data: Data) -> (width: Int, height: Int)? {
        let beginning: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + "IHDR".utf8
        guard data.count >= 24, data.starts(with: beginning) else { return nil }
        func number(_ offset: Int) -> Int { data.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | Int($1) } }
        return (number(16), number(20))
    }
}
