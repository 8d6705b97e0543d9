/// Walks the boxes of a still image (`meta`), of a sequence (`moov`) or of both, and checks that their data is in the
/// file (AV1 Image File Format; ISO/IEC 23008-12).
enum AVIFWalk {
    static func inspect(_ file: ByteCursor) throws(ImageRejection) -> ImageInfo {
        var cursor = file
        var brands: AVIFBrands?
        var still: AVIFStill?
        var sequence: AVIFSequence?
        var hasMediaData = false
        while let box = try next(&cursor, isWhole: hasMediaData && (still != nil || sequence != nil)) {
            switch box.type {
            case "ftyp" where brands == nil:
                brands = try AVIFBrands(box.content)
            case "meta" where still == nil:
                still = try AVIFStill(box.content, fileLength: file.remaining)
            case "moov" where sequence == nil:
                sequence = try AVIFSequence(box.content, fileLength: file.remaining)
            case "ftyp", "meta", "moov":
                throw .malformed(.avif, "a second box of a type that must be unique")
            case "mdat":
                hasMediaData = true
            default:
                break
            }
        }
        guard hasMediaData else { throw .malformed(.avif, "it has no media data") }
        if let sequence { return info(sequence.shape, frames: sequence.frames) }
        guard let still, brands?.isSequence == false else { throw .malformed(.avif, "it ends without a picture") }
        return info(still.shape)
    }

    /// The next box. Browsers and libvips ignore what is behind the picture and no box; but the beginning of a box is a part of a
    /// longer file.
    private static func next(_ cursor: inout ByteCursor, isWhole: Bool) throws(ImageRejection) -> AVIFBox? {
        let start = cursor
        do throws(ImageRejection) {
            return try AVIFBox(from: &cursor, isOutermost: true)
        } catch {
            guard isWhole, !isBox(start) else { throw error }
            return nil
        }
    }

    private static func isBox(_ start: ByteCursor) -> Bool {
        var header = start
        guard (try? header.skip(4)) != nil, let type = try? header.fourCC() else { return false }
        return ["ftyp", "meta", "moov", "mdat", "free", "skip", "uuid", "wide", "moof"].contains(type)
    }

    private static func info(_ shape: AVIFShape, frames: Int = 1) -> ImageInfo {
        ImageInfo(
            format: .avif, size: shape.size, frames: frames, orientation: shape.orientation, drawing: shape.drawing)
    }
}
