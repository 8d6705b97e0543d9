extension XMPPacket {
    /// The properties that are for readers. The first that has a text counts.
    private static let properties: [(name: String, field: PictureText)] = [
        ("dc:title", .title), ("photoshop:Headline", .title), ("dc:description", .description),
        ("tiff:ImageDescription", .description), ("dc:creator", .creator), ("tiff:Artist", .creator),
        ("cc:attributionName", .credit), ("photoshop:Credit", .credit), ("cc:license", .license),
        ("xmpRights:WebStatement", .license), ("xmpRights:UsageTerms", .rights), ("dc:rights", .rights),
        ("tiff:Copyright", .rights), ("dc:source", .source), ("photoshop:Source", .source),
        ("cc:attributionURL", .source), ("Iptc4xmpCore:AltTextAccessibility", .alt), ("dc:subject", .keyword),
        ("photoshop:City", .city), ("photoshop:State", .state), ("photoshop:Country", .country),
        ("exif:DateTimeOriginal", .date), ("photoshop:DateCreated", .date), ("exif:DateTimeDigitized", .date),
    ]

    private static let names = Set(properties.map(\.name))

    /// The usual prefixes of the namespaces. A packet may name them otherwise.
    private static let prefixes = [
        "http://purl.org/dc/elements/1.1/": "dc", "http://ns.adobe.com/photoshop/1.0/": "photoshop",
        "http://ns.adobe.com/tiff/1.0/": "tiff", "http://ns.adobe.com/xap/1.0/rights/": "xmpRights",
        "http://ns.adobe.com/exif/1.0/": "exif", "http://creativecommons.org/ns#": "cc",
        "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/": "Iptc4xmpCore",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
    ]

    /// The texts of the picture itself: the properties of its description, not those of other pictures in structures. A packet that is
    /// damaged has those in front of the damage.
    static func texts(in content: [UInt8]) -> PictureText.Source {
        var reading = Reading(utf8(of: content))
        let found = reading.properties()
        return PictureText.Source(.xmp, .first(of: properties.map { ($0.field, found[$0.name] ?? []) }))
    }

    /// The text in UTF-8.
    private static func utf8(of content: [UInt8]) -> [UInt8] {
        let packet = XMPPacket(content)
        let units = stride(from: 0, to: content.count / packet.width * packet.width, by: packet.width)
        func number(_ start: Int) -> Int? {
            packet.place == 0
                ? content.littleEndian(at: start, packet.width) : content.bigEndian(at: start, packet.width)
        }
        return switch packet.width {
        case 2: Array(String(decoding: units.map { UInt16(number($0) ?? 0) }, as: UTF16.self).utf8)
        case 4: Array(String(decoding: units.map { UInt32(number($0) ?? 0) }, as: UTF32.self).utf8)
        default: content
        }
    }

    /// The way through the elements of a packet.
    private struct Reading {
        private let bytes: [UInt8]
        private let packet: XMPPacket

        /// The open elements.
        private var open: [String] = []

        /// The usual prefixes by those of the packet.
        private var prefixes: [String: String] = [:]
        private var found: [String: [String]] = [:]

        /// The open property, with the items of its list, and the text that is being read.
        private var property: String?
        private var items: [(isDefault: Bool, text: String)] = []
        private var isDefault = false
        private var text = ""

        init(_ bytes: [UInt8]) { (self.bytes, packet) = (bytes, XMPPacket(bytes)) }

        /// The texts of properties, by their names with the usual prefixes.
        mutating func properties() -> [String: [String]] {
            var (index, names) = (0, 0)
            while let start = packet.text[index...].firstIndex(of: UInt8(ascii: "<")) {
                if property != nil { add(decoded(index..<start)) }
                if let other = packet.markup(at: start) {
                    if let content = other.content { add(PictureText.decoded(bytes[content])) }
                    index = other.end
                    continue
                }
                guard let tag = Tag(packet.text, start, atMost: XMPPacket.mostNames - names) else { break }
                names += 1 + tag.attributes.count
                for attribute in tag.attributes where attribute.name.qualified.hasPrefix("xmlns:") {
                    let address = String(decoding: bytes[attribute.value], as: UTF8.self)
                    prefixes[String(attribute.name.qualified.dropFirst(6))] = XMPPacket.prefixes[address]
                }
                let name = usual(tag.name.qualified)
                if tag.kind == .closing { close(name) } else { begin(name, tag) }
                if tag.kind == .complete { close(name) }
                index = tag.end
            }
            return found
        }

        /// A text or the value of an attribute. Programs also write other encodings than UTF-8.
        private func decoded(_ range: Range<Int>) -> String {
            HTMLText.decoded(Array(PictureText.decoded(bytes[range]).utf8))
        }

        private mutating func add(_ text: String) {
            if property != nil, self.text.utf8.count < PictureText.longest { self.text += text }
        }

        private func usual(_ name: String) -> String {
            guard let colon = name.firstIndex(of: ":"), let prefix = prefixes[String(name[..<colon])] else {
                return name
            }
            return prefix + name[colon...]
        }

        private mutating func begin(_ name: String, _ tag: Tag) {
            if name == "rdf:Description", open.last == "rdf:RDF" {
                for attribute in tag.attributes {
                    let name = usual(attribute.name.qualified)
                    if XMPPacket.names.contains(name) { found[name] = [decoded(attribute.value)] }
                }
            }
            if property == nil, isDescribing {
                (property, items) = (name, [])
                text =
                    tag.attributes.first { usual($0.name.qualified) == "rdf:resource" }.map { decoded($0.value) } ?? ""
            } else if name == "rdf:li", isItem {
                isDefault = tag.attributes.contains {
                    $0.name.qualified == "xml:lang" && decoded($0.value) == "x-default"
                }
                text = ""
            }
            open.append(name)
        }

        /// Whether the innermost element is the description of the picture.
        private var isDescribing: Bool { open.last == "rdf:Description" && open.dropLast().last == "rdf:RDF" }

        /// Whether the innermost element is a list of the property's own.
        private var isItem: Bool {
            guard let property, let list = open.last, open.dropLast().last == property else { return false }
            return ["rdf:Alt", "rdf:Bag", "rdf:Seq"].contains(list)
        }

        private mutating func close(_ name: String) {
            guard open.last == name else { return }
            open.removeLast()
            guard let property else { return }
            if name == "rdf:li", isItem {
                if items.count < PictureText.mostTexts { items.append((isDefault, text)) }
            } else if name == property, isDescribing {
                let ordered = items.filter(\.isDefault) + items.filter { !$0.isDefault }
                if XMPPacket.names.contains(name) { found[name] = items.isEmpty ? [text] : ordered.map(\.text) }
                self.property = nil
            }
            text = ""
        }
    }
}
