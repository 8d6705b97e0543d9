/// The picture track of an image sequence, whose samples are all in the file.
struct AVIFSequence {
    let shape: AVIFShape
    let frames: Int

    init(_ content: ByteCursor, fileLength: Int) throws(ImageRejection) {
        var boxes = content
        var pictures: AVIFSequence?
        while let box = try AVIFBox(from: &boxes) {
            guard box.type == "trak" else { continue }
            let media = try box.content.requiredBox("mdia")
            let kind = try Self.handler(media.requiredBox("hdlr"))
            // The alpha plane is a separate track, which viewers decode too. Other tracks are ignored.
            guard kind == "pict" || kind == "auxv" else { continue }
            let track = try AVIFSequence(media: media, fileLength: fileLength)
            if kind == "pict", pictures == nil { pictures = track }
        }
        guard let pictures else { throw .malformed(.avif, "it has no track of pictures") }
        self = pictures
    }

    private init(media: ByteCursor, fileLength: Int) throws(ImageRejection) {
        let information = try media.requiredBox("minf")
        let table = try information.requiredBox("stbl")
        let size: PixelSize
        (size, shape) = try Self.shape(table.requiredBox("stsd"))
        frames = try AVIFSamples(table).check(fileLength: fileLength)
        try ImageInspector.check(size, frames: frames, of: .avif)
    }

    private static func handler(_ box: ByteCursor) throws(ImageRejection) -> FourCC {
        var fields = box
        _ = try fields.versionAndFlags()
        try fields.skip(4)
        return try fields.fourCC()
    }

    /// - Returns: the size of the samples too.
    private static func shape(_ box: ByteCursor) throws(ImageRejection) -> (PixelSize, AVIFShape) {
        var fields = box
        _ = try fields.versionAndFlags()
        try fields.skip(4)  // the number of entries; the first one counts
        var entry = try fields.requiredBox("av01")
        try entry.skip(24)
        let width = Int(try entry.bigEndian(UInt16.self))
        let size = PixelSize(width: width, height: Int(try entry.bigEndian(UInt16.self)))
        return (size, shown(size, entry))
    }

    /// - Parameter entry: the rest of the sample description: resolution, name and depth, and then boxes, which are only hints.
    private static func shown(_ size: PixelSize, _ entry: ByteCursor) -> AVIFShape {
        var boxes = entry
        var (crop, isTurned) = (AVIFCrop?.none, false)
        try? boxes.skip(50)
        while let box = try? AVIFBox(from: &boxes) {
            var fields = box.content
            if box.type == "clap", crop == nil { crop = try? AVIFCrop(&fields) }
            if box.type == "irot", (try? fields.byte())?.isMultiple(of: 2) == false { isTurned = true }
        }
        return AVIFShape(size, crop: crop, isTurned: isTurned)
    }
}
