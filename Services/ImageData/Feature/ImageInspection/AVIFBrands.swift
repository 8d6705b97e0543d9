/// The brands in the `ftyp` box that begins a file of the ISO base media family (ISO/IEC 14496-12, 4.3).
struct AVIFBrands {
    /// A sequence: its track is what viewers show, so it must be there.
    let isSequence: Bool

    init(_ content: ByteCursor) throws(ImageRejection) {
        var fields = content
        isSequence = try fields.fourCC() == "avis"
    }

    /// Whether the file calls itself an AVIF, as its own or as a compatible brand. MP4, HEIC and others do not.
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
