/// The picture track of an image sequence, whose samples are all in the file.
struct AVIFSequence {
    let size: PixelSize
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
        size = try Self.size(table.requiredBox("stsd"))
        frames = try AVIFSamples(table).check(fileLength: fileLength)
        try ImageInspector.check(size, frames: frames, of: .avif)
    }

    private static func handler(_ box: ByteCursor) throws(ImageRejection) -> FourCC {
        var fields = box
        _ = try fields.versionAndFlags()
        try fields.skip(4)
        return try fields.fourCC()
    }

    private static func size(_ box: ByteCursor) throws(ImageRejection) -> PixelSize {
        var fields = box
        _ = try fields.versionAndFlags()
        try fields.skip(4)  // the number of entries; the first one counts
        var entry = try fields.requiredBox("av01")
        try entry.skip(24)
        let width = Int(try entry.bigEndian(UInt16.self))
        return PixelSize(width: width, height: Int(try entry.bigEndian(UInt16.self)))
    }
}
