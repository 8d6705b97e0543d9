import Foundation
import ImageDataContract
import RPC

/// The metadata of a picture that import uses: its texts, when it was taken, and where. Reads what it finds and ignores what it does not
/// understand: a picture is complete without it.
struct PictureMetadata {
    /// The bytes of the picture.
    private(set) var bytes: [UInt8]

    private var sidecar: XMPSidecar?

    init(_ data: Data, sidecar: XMPSidecar? = nil) { (bytes, self.sidecar) = (Array(data), sidecar) }

    /// JPEG has the metadata at the beginning.
    private static let searchedBytes = 1 << 20

    /// When the picture in a file was taken; nil when that is not known.
    static func date(ofFile path: String) -> Date? {
        let file = InputFile(path: path)
        let sidecar = XMPSidecar(ofPicture: path)
        guard let beginning = file.beginning(searchedBytes) else { return nil }
        guard beginning.count == searchedBytes, !JPEGSegments.isJPEG(beginning) else {
            return PictureMetadata(beginning, sidecar: sidecar).takenAt
        }
        // A file that cannot be read is refused when it is stored.
        let data = try? file.read(upTo: ImageDataContract.maximumImageBytes, isRegular: true)
        return data.flatMap { PictureMetadata($0, sidecar: sidecar).takenAt }
    }

    /// By Exif: when the picture was taken, else when it was digitised; else by XMP and IPTC. Without a time zone the time counts as UTC.
    var takenAt: Date? {
        let blocks = MetadataBlock.all(in: bytes)
        let date = blocks.lazy.filter { $0.kind == .exif }
            .compactMap { ExifBlock($0.content(in: bytes))?.takenAt }.first
        return date
            ?? texts(of: blocks).sorted { $0.format.rawValue < $1.format.rawValue }.lazy
            .flatMap { $0.texts[.date] ?? [] }.compactMap { ImportDate.parse($0) }.first
    }

    /// What the picture says for readers.
    /// - Parameter file: the name of its file.
    func texts(file: String) -> PictureTexts {
        PictureTexts(texts(of: MetadataBlock.all(in: bytes)), file: file)
    }

    /// The texts of the sidecar, and behind them those of the picture.
    private func texts(of blocks: [MetadataBlock]) -> [PictureText.Source] {
        [sidecar?.texts].compactMap(\.self) + blocks.flatMap { $0.kind.texts(in: $0.content(in: bytes)) }
    }

    /// A file may have as many chunks as bytes, so all are replaced at once.
    private mutating func replace(_ chunks: [(range: Range<Int>, chunk: [UInt8])]) {
        guard !chunks.isEmpty else { return }
        var (result, end) = ([UInt8](), 0)
        for (range, chunk) in chunks.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            result += bytes[end..<range.lowerBound] + chunk
            end = range.upperBound
        }
        bytes = result + bytes[end...]
    }

    /// Overwrites the position in the picture's metadata, and in the texts of its sidecar, with zeros and spaces, and nothing else. Metadata that are compressed, as PNG may have
    /// them, are compressed again, and removed when they cannot be read.
    /// - Returns: whether the picture had one.
    mutating func erasePosition() -> Bool {
        sidecar?.erasePosition()
        var (isFound, changed, replaced) = (false, [Range<Int>](), [(range: Range<Int>, chunk: [UInt8])]())
        for block in MetadataBlock.all(in: bytes) {
            switch block.place {
            case .ranges(let ranges):
                guard block.erasePosition(in: &bytes) else { continue }
                changed += ranges
            case .packed(let chunk, var content, let repack):
                guard block.kind.erasePosition(in: &content) else { continue }
                replaced.append((range: chunk, chunk: repack(content)))
            }
            isFound = true
        }
        PNGChunks.updateChecksums(in: &bytes, of: changed)
        replace(replaced)
        return isFound
    }
}
