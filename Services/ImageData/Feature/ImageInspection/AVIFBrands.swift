/// The brands in the `ftyp` box at the beginning of a file of the ISO base media family (ISO/IEC 14496-12, 4.3).
struct AVIFBrands {
    /// A sequence: viewers show its track, so the track is required.
    let isSequence: Bool

    init(_ content: ByteCursor) throws(ImageRejection) {
        var fields = content
        isSequence = try fields.fourCC() == "avis"
    }

    /// Whether AVIF is the major brand or a compatible brand of the file. In MP4, HEIC and others it is not.
    static func areNamed(in bytes: UnsafeRawBufferPointer) -> Bool {
        (try? firstBrand(in: bytes)) != nil
    }

    private static func firstBrand(in bytes: UnsafeRawBufferPointer) throws(ImageRejection) -> FourCC {
        var fields = ByteCursor(bytes, atEnd: .notAnImage)
        let length = Int(try fields.bigEndian(UInt32.self))
        guard try fields.fourCC() == "ftyp" else { throw .notAnImage }
        let own = try fields.fourCC()
        if isAVIF(own) { return own }
        try fields.skip(4)  // the version of that brand
        while fields.position < length {
            let compatible = try fields.fourCC()
            if isAVIF(compatible) { return compatible }
        }
        throw .notAnImage
    }

    private static func isAVIF(_ brand: FourCC) -> Bool { brand == "avif" || brand == "avis" }
}
