/// The size of the primary item: `pitm` names the item, `ipma` lists its properties by number, and `ispe` is the
/// property with the size.
enum AVIFStill {
    static func size(_ content: ByteCursor, fileLength: Int) throws(ImageRejection) -> PixelSize {
        var boxes = content
        _ = try boxes.versionAndFlags()
        let primary = try primaryItem(boxes.requiredBox("pitm"))
        try AVIFItemLocations(
            fileLength: fileLength,
            itemDataLength: try boxes.box("idat")?.remaining ?? 0
        ).check(boxes.requiredBox("iloc"), primary: primary)

        let properties = try boxes.requiredBox("iprp")
        let sizes = try sizes(properties.requiredBox("ipco"))
        var associations = properties
        while let box = try AVIFBox(from: &associations) {  // several, for different ranges of items
            guard box.type == "ipma" else { continue }
            if let size = try size(of: primary, associations: box.content, sizes) { return size }
        }
        throw .malformed(.avif, "its primary item has no size")
    }

    private static func primaryItem(_ box: ByteCursor) throws(ImageRejection) -> UInt32 {
        var fields = box
        let version = try fields.versionAndFlags().version
        return version == 0 ? UInt32(try fields.bigEndian(UInt16.self)) : try fields.bigEndian(UInt32.self)
    }

    /// The sizes by property number, from one. Each is checked, because viewers also decode the tiles and the alpha
    /// plane.
    private static func sizes(_ box: ByteCursor) throws(ImageRejection) -> [Int: PixelSize] {
        var boxes = box
        var sizes: [Int: PixelSize] = [:]
        var number = 0
        while let property = try AVIFBox(from: &boxes) {
            number += 1
            guard number <= 0x7FFF else { throw .malformed(.avif, "more properties than property numbers") }
            guard property.type == "ispe" else { continue }
            var fields = property.content
            _ = try fields.versionAndFlags()
            let width = Int(try fields.bigEndian(UInt32.self))
            let size = PixelSize(width: width, height: Int(try fields.bigEndian(UInt32.self)))
            try ImageInspector.check(size, of: .avif)
            sizes[number] = size
        }
        return sizes
    }

    private static func size(
        of item: UInt32, associations: ByteCursor, _ sizes: [Int: PixelSize]
    ) throws(ImageRejection) -> PixelSize? {
        var fields = associations
        let (version, flags) = try fields.versionAndFlags()
        for _ in 0..<(try fields.bigEndian(UInt32.self)) {
            let id = version == 0 ? UInt32(try fields.bigEndian(UInt16.self)) : try fields.bigEndian(UInt32.self)
            for _ in 0..<(try fields.byte()) {
                let number = try propertyNumber(&fields, isWide: flags & 1 == 1)
                if id == item, let size = sizes[number] { return size }
            }
        }
        return nil
    }

    /// The upper bit marks an essential property.
    private static func propertyNumber(_ fields: inout ByteCursor, isWide: Bool) throws(ImageRejection) -> Int {
        isWide ? Int(try fields.bigEndian(UInt16.self) & 0x7FFF) : Int(try fields.byte() & 0x7F)
    }
}
