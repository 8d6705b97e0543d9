/// Builds AVIF files: one item, or a track of samples, with a media data box at the end.
enum AVIFBytes {
    static func box(_ type: String, _ content: Bytes) -> Bytes {
        be32(content.count + 8) + ascii(type) + content
    }

    static func fullBox(_ type: String, version: UInt8 = 0, flags: Int = 0, _ content: Bytes) -> Bytes {
        box(type, [version] + be32(flags).dropFirst() + content)
    }

    static func brands(_ own: String = "avif", _ compatible: String = "mif1") -> Bytes {
        box("ftyp", ascii(own) + be32(0) + ascii(compatible))
    }

    static let data = box("mdat", [1, 2, 3, 4, 5, 6, 7, 8])

    // MARK: Still

    static func size(_ width: Int, _ height: Int) -> Bytes { fullBox("ispe", be32(width) + be32(height)) }

    static let primary = fullBox("pitm", be16(1))

    /// Property 1 is of another type, so that the property number matters.
    static func properties(_ sizes: Bytes, numbers: Bytes = [0x81, 2]) -> Bytes {
        box(
            "iprp",
            box("ipco", box("pixi", zeros(4)) + sizes)
                + fullBox("ipma", be32(2) + be16(9) + [1, 3] + be16(1) + [UInt8(numbers.count)] + numbers))
    }

    static func location(_ offset: Int, _ length: Int) -> Bytes {
        fullBox("iloc", [0x44, 0] + be16(1) + be16(1) + be16(0) + be16(1) + be32(offset) + be32(length))
    }

    static func meta(_ boxes: Bytes...) -> Bytes { fullBox("meta", boxes.flatMap { $0 }) }

    static func image(_ width: Int = 16, _ height: Int = 12, otherSizes: Bytes = []) -> Bytes {
        still { location in meta(primary, location, properties(size(width, height) + otherSizes)) }
    }

    /// The metadata precedes the data and contains its offset, so it is built twice: first for its length.
    static func still(data: Bytes = data, _ meta: (_ location: Bytes) -> Bytes) -> Bytes {
        let dataBegins = (brands() + meta(location(0, 8))).count + 8
        return brands() + meta(location(dataBegins, 8)) + data
    }

    // MARK: Sequence

    struct Samples {
        var count = 4
        var lengths = [1, 1, 3, 3]
        /// The first chunk of each run, and the number of samples per chunk.
        var runs = [(1, 2), (2, 1)]
        var places = [0, 2, 5]
        var hasWidePlaces = false

        func table(_ description: Bytes, dataBegins: Int) -> Bytes {
            box("stbl", description + sizes + chunks + offsets(dataBegins))
        }

        private var sizes: Bytes {
            let isCommon = lengths.count == 1
            let each = isCommon ? [] : lengths.flatMap(be32)
            return fullBox("stsz", be32(isCommon ? lengths[0] : 0) + be32(count) + each)
        }

        private var chunks: Bytes {
            fullBox("stsc", be32(runs.count) + runs.flatMap { be32($0.0) + be32($0.1) + be32(1) })
        }

        private func offsets(_ dataBegins: Int) -> Bytes {
            let each = places.flatMap { hasWidePlaces ? be64(UInt64($0 + dataBegins)) : be32($0 + dataBegins) }
            return fullBox(hasWidePlaces ? "co64" : "stco", be32(places.count) + each)
        }
    }

    static func track(_ handler: String = "pict", _ table: Bytes) -> Bytes {
        box("trak", box("mdia", fullBox("hdlr", zeros(4) + ascii(handler)) + box("minf", table)))
    }

    static func sequence(
        _ width: Int = 16, _ height: Int = 12, samples: Samples = Samples(), handler: String = "pict",
        otherTracks: Bytes = [], shown: Bytes = []
    ) -> Bytes {
        let size = fullBox("stsd", be32(1) + box("av01", zeros(24) + be16(width) + be16(height) + zeros(50) + shown))
        let movie = { (dataBegins: Int) in
            box("moov", track(handler, samples.table(size, dataBegins: dataBegins)) + otherTracks)
        }
        let start = brands("avis", "avif")
        return start + movie((start + movie(0)).count + 8) + data
    }
}
