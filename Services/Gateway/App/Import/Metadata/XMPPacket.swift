/// The text of an XMP packet (ISO 16684-1), which may be in UTF-8, UTF-16 or UTF-32.
struct XMPPacket {
    /// The characters of ASCII, with a mark for each other one.
    let text: [UInt8]

    /// The bytes of a character of ASCII, and the one of them that is not zero.
    let (width, place): (Int, Int)

    init(_ content: [UInt8]) {
        // By the first characters, which are of ASCII, or by the mark of the byte order.
        let zeros = content.dropFirst(8).prefix(16).enumerated().filter { $0.element == 0 }.map { $0.offset % 4 }
        let isZero = (0..<4).map { place in zeros.count { $0 == place } >= 3 }
        (width, place) =
            switch isZero {
            case [false, true, true, true]: (4, 0)
            case [true, true, true, false]: (4, 3)
            case [false, true, false, true]: (2, 0)
            case [true, false, true, false]: (2, 1)
            default: (1, 0)
            }
        let (width, place) = (width, place)
        text = stride(from: 0, to: content.count / width * width, by: width).map { start in
            let isASCII = (start..<start + width).allSatisfy { content[$0] < ($0 == start + place ? 0x80 : 1) }
            return isASCII ? content[start + place] : 0x80
        }
    }

    /// Overwrites the values of positions with spaces: of `exif:GPSLatitude` and of similar properties in other namespaces.
    /// - Returns: whether there is a position.
    static func erasePosition(in content: inout [UInt8]) -> Bool {
        let packet = XMPPacket(content)
        let values = packet.values
        guard values.contains(where: { $0.isTelling && packet.text[$0.range].contains(where: isPositiveDigit) }) else {
            return false
        }
        for index in values.flatMap(\.range) where !isSpace(packet.text[index]) {
            for place in 0..<packet.width {
                content[index * packet.width + place] = place == packet.place ? UInt8(ascii: " ") : 0
            }
        }
        return true
    }

    private struct Value {
        let range: Range<Int>
        let isTelling: Bool
    }

    /// So many tags and attributes are read one by one. A brush of Lightroom has some ten thousand.
    static let mostNames = 200_000

    /// The values of positions.
    private var values: [Value] {
        var values: [Value] = []
        // The element of a position, and how many elements are open in it.
        var (position, depth) = (Name?.none, 0)
        var (index, names) = (0, 0)
        while let start = text[index...].firstIndex(of: UInt8(ascii: "<")) {
            values += self.values(of: position, in: index..<start)
            if let other = markup(at: start) {
                if let content = other.content { values += self.values(of: position, in: content) }
                index = other.end
                continue
            }
            guard let tag = Tag(text, start, atMost: Self.mostNames - names) else {
                // What is not well-formed or too long can still be read by some program.
                let rest = Name(String(decoding: text[start...], as: UTF8.self))
                let hasPosition = rest.isOfPosition || [":lat", ":lon"].contains(where: rest.qualified.contains)
                return values
                    + (hasPosition
                        ? [Value(range: start..<text.count, isTelling: true)]
                        : self.values(of: position, in: start..<text.count))
            }
            names += 1 + tag.attributes.count
            let owner = position ?? (tag.name.isOfPosition ? tag.name : nil)
            for attribute in tag.attributes where !attribute.name.isOfNamespace {
                values += self.values(of: attribute.name.isOfPosition ? attribute.name : owner, in: attribute.value)
            }
            switch tag.kind {
            case .opening where position != nil: depth += 1
            case .opening where tag.name.isOfPosition: position = tag.name
            case .closing where depth > 0: depth -= 1
            case .closing: position = nil
            default: break
            }
            index = tag.end
        }
        return values + self.values(of: position, in: index..<text.count)
    }

    /// A comment, a section of text or an instruction.
    /// - Returns: where the text of a section is, and where the markup ends; nil for a tag.
    func markup(at start: Int) -> (content: Range<Int>?, end: Int)? {
        let marks = [("<!--", "-->"), (Self.section, "]]>"), ("<?", "?>"), ("<!", ">")]
        guard let (mark, end) = marks.first(where: { text.has($0.0, at: start) }) else { return nil }
        let close = text.range(of: Array(end.utf8), from: start) ?? text.count..<text.count
        return (mark == Self.section ? start + mark.utf8.count..<close.lowerBound : nil, close.upperBound)
    }

    private static let section = "<![CDATA["

    /// The whole text of a position, or the coordinates in another text.
    private func values(of position: Name?, in range: Range<Int>) -> [Value] {
        if let position { return [Value(range: range, isTelling: position.isTelling)] }
        return CoordinateText.coordinates(in: Array(text[range])).map {
            Value(range: range.lowerBound + $0.lowerBound..<range.lowerBound + $0.upperBound, isTelling: true)
        }
    }

    /// A qualified name.
    struct Name {
        let qualified: String
        private let lowercased: String

        init(_ qualified: String) {
            self.qualified = qualified
            lowercased = qualified.lowercased()
        }

        var isOfNamespace: Bool { lowercased.hasPrefix("xmlns") || lowercased.hasPrefix("rdf:parse") }

        var isOfPosition: Bool {
            Self.words.contains(where: lowercased.contains)
                || ["Lat", "Lon", "Lng", ":lat", ":lon", ":lng", ":long"].contains(where: qualified.hasSuffix)
        }

        /// `geo:lat_long`, `georss:point` and what programs call theirs.
        private static let words = [
            "gps", "latitude", "longitude", "longtitude", "lat_long", "latlong", "georss", "geoposition", "coordinates",
            "earthpos", "absolutealtitude", "footprintwkt", "geohash",
        ]

        /// A version, a status or a time tells no place.
        var isTelling: Bool {
            !["version", "datum", "status", "mode", "differential", "stamp"].contains(where: lowercased.contains)
        }
    }

    /// A tag with its attributes.
    struct Tag {
        enum Kind { case opening, closing, complete }

        let name: Name
        let kind: Kind
        let attributes: [(name: Name, value: Range<Int>)]
        let end: Int

        /// - Parameter count: the maximum of names: the tag's own and those of its attributes.
        /// - Returns: nil if the tag has more names, another form or no end.
        init?(_ text: [UInt8], _ start: Int, atMost count: Int) {
            var index = start + 1
            func current() -> UInt8? { index < text.count ? text[index] : nil }
            func skip(_ isSkipped: (UInt8) -> Bool) -> Range<Int> {
                let first = index
                while let byte = current(), isSkipped(byte) { index += 1 }
                return first..<index
            }
            func name() -> Name? {
                let range = skip { !XMPPacket.isSpace($0) && !"/>=<\"'".utf8.contains($0) }
                return range.isEmpty ? nil : Name(String(decoding: text[range], as: UTF8.self))
            }
            let isClosing = current() == UInt8(ascii: "/")
            if isClosing { index += 1 }
            guard count > 0, let tag = name() else { return nil }
            var attributes: [(name: Name, value: Range<Int>)] = []
            while true {
                _ = skip(XMPPacket.isSpace)
                if current() == UInt8(ascii: ">") { break }
                if text.has("/>", at: index) { break }
                guard attributes.count < count - 1, let attribute = name() else { return nil }
                _ = skip(XMPPacket.isSpace)
                guard current() == UInt8(ascii: "=") else { return nil }
                index += 1
                _ = skip(XMPPacket.isSpace)
                guard let quote = current(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
                    return nil
                }
                index += 1
                let value = skip { $0 != quote }
                guard current() != nil else { return nil }
                index += 1
                attributes.append((attribute, value))
            }
            let isComplete = current() == UInt8(ascii: "/")
            self.name = tag
            self.attributes = attributes
            kind = isClosing ? .closing : isComplete ? .complete : .opening
            end = index + (isComplete ? 2 : 1)
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private static func isPositiveDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(byte)
    }
}
