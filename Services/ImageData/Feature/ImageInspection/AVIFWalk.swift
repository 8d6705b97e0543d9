/// Walks the boxes of a still image (`meta`), of a sequence (`moov`) or of both, and checks that their data is in the
/// file (AV1 Image File Format; ISO/IEC 23008-12).
enum AVIFWalk {
    static func inspect(_ file: ByteCursor) throws(ImageRejection) -> ImageInfo {
        var cursor = file
        var brands: AVIFBrands?
        var still: AVIFStill?
        var sequence: AVIFSequence?
        var hasMediaData = false
        while let box = try AVIFBox(from: &cursor, isOutermost: true) {
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

    private static func info(_ shape: AVIFShape, frames: Int = 1) -> ImageInfo {
        ImageInfo(
            format: .avif, size: shape.size, frames: frames, orientation: shape.orientation, drawing: shape.drawing)
    }
}
