/// The shape of the primary item: `pitm` names the item, `ipma` lists its properties by number, `ispe` is
/// the property with the size, `clap` that with a part of it, and `irot` that with the rotation.
struct AVIFStill {
    let shape: AVIFShape

    /// By property number, from one.
    private struct Properties {
        var sizes: [Int: PixelSize] = [:]
        var crops: [Int: AVIFCrop] = [:]

        /// Those that turn a picture on its side.
        var quarterTurns: Set<Int> = []
    }

    init(_ content: ByteCursor, fileLength: Int) throws(ImageRejection) {
        var boxes = content
        _ = try boxes.versionAndFlags()
        let primary = try Self.primaryItem(boxes.requiredBox("pitm"))
        try AVIFItemLocations(
            fileLength: fileLength,
            itemDataLength: try boxes.box("idat")?.remaining ?? 0
        ).check(boxes.requiredBox("iloc"), primary: primary)

        let properties = try boxes.requiredBox("iprp")
        let known = try Self.properties(properties.requiredBox("ipco"))
        var associations = properties
        while let box = try AVIFBox(from: &associations) {  // several, for different ranges of items
            guard box.type == "ipma" else { continue }
            let (size, crop, isTurned) = try Self.shape(of: primary, associations: box.content, known)
            guard let size else { continue }
            self.shape = AVIFShape(size, crop: crop, isTurned: isTurned)
            return
        }
        throw .malformed(.avif, "its primary item has no size")
    }

    private static func primaryItem(_ box: ByteCursor) throws(ImageRejection) -> UInt32 {
        var fields = box
        let version = try fields.versionAndFlags().version
        return version == 0 ? UInt32(try fields.bigEndian(UInt16.self)) : try fields.bigEndian(UInt32.self)
    }

    /// Each size is checked, because viewers also decode the tiles and the alpha plane.
    private static func properties(_ box: ByteCursor) throws(ImageRejection) -> Properties {
        var boxes = box
        var properties = Properties()
        var number = 0
        while let property = try AVIFBox(from: &boxes) {
            number += 1
            guard number <= 0x7FFF else { throw .malformed(.avif, "more properties than property numbers") }
            var fields = property.content
            if property.type == "irot", try fields.byte() & 1 == 1 { properties.quarterTurns.insert(number) }
            if property.type == "clap" { properties.crops[number] = try AVIFCrop(&fields) }
            guard property.type == "ispe" else { continue }
            _ = try fields.versionAndFlags()
            let width = Int(try fields.bigEndian(UInt32.self))
            let size = PixelSize(width: width, height: Int(try fields.bigEndian(UInt32.self)))
            try ImageInspector.check(size, of: .avif)
            properties.sizes[number] = size
        }
        return properties
    }

    /// - Returns: without a size, when the associations are of other items.
    private static func shape(
        of item: UInt32, associations: ByteCursor, _ properties: Properties
    ) throws(ImageRejection) -> (size: PixelSize?, crop: AVIFCrop?, isTurned: Bool) {
        var fields = associations
        let (version, flags) = try fields.versionAndFlags()
        for _ in 0..<(try fields.bigEndian(UInt32.self)) {
            let id = version == 0 ? UInt32(try fields.bigEndian(UInt16.self)) : try fields.bigEndian(UInt32.self)
            var (size, crop, isTurned) = (PixelSize?.none, AVIFCrop?.none, false)
            for _ in 0..<(try fields.byte()) {
                let number = try propertyNumber(&fields, isWide: flags & 1 == 1)
                size = size ?? properties.sizes[number]
                crop = crop ?? properties.crops[number]
                if properties.quarterTurns.contains(number) { isTurned = true }
            }
            if id == item, size != nil { return (size, crop, isTurned) }
        }
        return (nil, nil, false)
    }

    /// The upper bit marks an essential property.
    private static func propertyNumber(_ fields: inout ByteCursor, isWide: Bool) throws(ImageRejection) -> Int {
        isWide ? Int(try fields.bigEndian(UInt16.self) & 0x7FFF) : Int(try fields.byte() & 0x7F)
    }
}
