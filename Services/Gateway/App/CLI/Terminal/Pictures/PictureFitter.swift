import EdgeModel
import Foundation
import Processes
import Synchronization

/// Turns the bytes of a picture into what the terminal shows in a box of cells, with `vipsthumbnail`.
final class PictureFitter: Sendable {
    /// The longest side of a picture in pixels.
    static let longestSide = 1_600

    /// The maximum number of bytes of a picture for the terminal: uncompressed, at the longest side.
    static let maximumBytes = 3 * longestSide * longestSide + 1_000

    /// How long a picture may take. Longer than for a server's variants: the user can go on meanwhile.
    static let patience = Duration.seconds(30)

    let format: PictureProtocol
    private let depth: ColorDepth
    private let cell: CellSize
    private let program: VipsThumbnail?
    private let lastID = Mutex<UInt32>(0)

    /// - Parameter program: nil when it is missing: then there are placeholders only.
    init(_ format: PictureProtocol, depth: ColorDepth, cell: CellSize, program: VipsThumbnail?) {
        (self.format, self.depth, self.cell, self.program) = (format, depth, cell, program)
    }

    /// What can be shown.
    var support: PictureSupport { format == .none ? .none : program == nil ? .previews : .full }

    /// The size of a box in the pixels that are drawn.
    func pixels(columns: Int, rows: Int) -> (width: Int, height: Int) {
        switch format {
        case .blocks, .none: (columns, 2 * rows)
        case .kitty, .iterm2, .sixel:
            (min(columns * cell.width, Self.longestSide), min(rows * cell.height, Self.longestSide))
        }
    }

    /// The picture, as large as the box allows in its proportions.
    /// - Throws: `LimitedProcess.Failure`, `Undrawable`, `CancellationError`.
    func picture(_ data: Data, columns: Int, rows: Int) async throws -> TerminalPicture {
        guard var program, columns > 0, rows > 0 else { throw Undrawable() }
        let box = pixels(columns: columns, rows: rows)
        program.limits.time = Self.patience
        let isPNG = format == .kitty || format == .iterm2
        let made = try await program.run(
            data, size: "\(box.width)x\(box.height)", output: isPNG ? ".png[strip]" : ".ppm",
            maximumBytes: Self.maximumBytes)
        guard isPNG else {
            guard let pixels = Pixels(ppm: made) else { throw Undrawable() }
            return try drawn(pixels)
        }
        guard let size = Self.size(ofPNG: made) else { throw Undrawable() }
        let cells = cell.covering(width: size.width, height: size.height)
        guard format == .kitty else {
            return TerminalPicture(
                columns: cells.columns, rows: cells.rows,
                content: .sequence(InlineImage.sequence(made, columns: cells.columns, rows: cells.rows)))
        }
        let id = lastID.withLock { id in
            id += 1
            return id
        }
        return TerminalPicture(
            columns: cells.columns, rows: cells.rows, content: .stored(id: id, KittyGraphics.store(made, id: id)))
    }

    /// The picture's bytes are no picture that can be drawn.
    struct Undrawable: Error {}

    /// A blurred preview in cells, in the proportions of the picture; nil without colours or without a placeholder.
    func preview(_ hints: PictureHints, columns: Int, rows: Int) -> TerminalPicture? {
        guard format != .none, let placeholder = hints.placeholder, columns > 0, rows > 0 else { return nil }
        let (width, height) = (
            Double(hints.width ?? placeholder.columns), Double(hints.height ?? placeholder.rows)
        )
        let scale = min(Double(columns) / width, Double(2 * rows) / height)
        let pixels = Pixels(
            placeholder, width: max(1, Int(width * scale)), height: max(2, Int(height * scale)))
        return TerminalPicture(
            columns: pixels.width, rows: (pixels.height + 1) / 2,
            content: .cells(HalfBlocks.lines(pixels, depth: depth)))
    }

    private func drawn(_ pixels: Pixels) throws -> TerminalPicture {
        guard format == .sixel else {
            return TerminalPicture(
                columns: pixels.width, rows: (pixels.height + 1) / 2,
                content: .cells(HalfBlocks.lines(pixels, depth: depth)))
        }
        let cells = cell.covering(width: pixels.width, height: pixels.height)
        return TerminalPicture(
            columns: cells.columns, rows: cells.rows, content: .sequence(try Sixel.sequence(pixels)))
    }

    /// The width and height of a PNG, from its first chunk.
    private static func size(ofPNG data: Data) -> (width: Int, height: Int)? {
        let bytes = [UInt8](data.prefix(24))
        guard bytes.count == 24, bytes[1...3].elementsEqual("PNG".utf8) else { return nil }
        func number(_ start: Int) -> Int { bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
        return (number(16), number(20))
    }
}

/// Which pictures a terminal can show.
enum PictureSupport: Sendable {
    /// The terminal has no colours.
    case none
    /// Without `vipsthumbnail` only the placeholders, which are small.
    case previews
    case full
}

/// The size of a terminal's cell in pixels.
struct CellSize: Sendable, Equatable {
    /// For a terminal that does not tell: the usual proportions.
    static let usual = CellSize(width: 10, height: 20)

    let width: Int
    let height: Int

    /// The number of cells that a picture touches.
    func covering(width: Int, height: Int) -> (columns: Int, rows: Int) {
        ((width + self.width - 1) / self.width, (height + self.height - 1) / self.height)
    }
}
