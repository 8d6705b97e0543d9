import Foundation

/// What a picture states about its colours, as browsers understand it. libvips applies only ICC profiles, also those of another
/// kind of colours.
struct PictureColours {
    /// The ICC profile that applies unless the file has one; nil if the numbers are those of sRGB or count as such.
    private(set) var profile: Data?

    /// Whether libvips, with the profile, shows the colours that browsers show. It does not for HDR, for unusual colour spaces, for
    /// CMYK, where `vipsthumbnail` ignores profiles, for contradictory or damaged profiles, and for codings that libheif does not know.
    private(set) var isExact = true

    private let file: Data

    init(of data: Data) {
        file = data.startIndex == 0 ? data : Data(data)
        if file.starts(with: [0xFF, 0xD8]) {
            readJPEG()
        } else if file.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
            readPNG()
        } else if text(0) == "RIFF", text(12) == "VP8X", text(30) == "ICCP" {
            apply(profileOf: text(38 + Self.spaceOffset), components: 3)
            let length = (0..<4).reversed().reduce(0) { $0 << 8 | (number(34 + $1, 1) ?? 0) }
            if ICCProfile.isDamaged(file.dropFirst(38).prefix(length)) { isExact = false }
        } else if text(4) == "ftyp" {
            readBoxes()
        }
    }

    /// Where an ICC profile names the kind of its colours.
    private static let spaceOffset = 16

    private mutating func apply(profileOf space: String?, components: Int) {
        // Browsers ignore a profile for colours of another kind.
        if space == "GRAY", components == 1 { profile = ICCProfile.grey(.sRGB) }
        if space == "RGB ", components == 3 { profile = Self.sRGB }
        isExact = components != 4
    }

    // MARK: Formats

    /// Reads the segments in front of the first scan (ITU-T T.81, annex B; ICC.1, annex B.4).
    private mutating func readJPEG() {
        var (place, components, space) = (2, 3, String?.none)
        var parts: [(number: Int, content: Data)] = []
        while number(place, 1) == 0xFF, let marker = number(place + 1, 1), marker != 0xDA {
            // Fill bytes, and markers without a segment.
            guard marker != 0xFF, let length = number(place + 2, 2) else {
                place += 1
                continue
            }
            switch marker {
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: components = number(place + 9, 1) ?? 3
            case 0xE2 where text(place + 4, 12) == "ICC_PROFILE\0":
                // The first part of the profile has its header.
                if number(place + 16, 1) == 1 { space = text(place + 18 + Self.spaceOffset) }
                let end = min(place + 2 + length, file.count)
                if place + 18 < end { parts.append((number(place + 16, 1) ?? 0, file[place + 18..<end])) }
            default: break
            }
            place += 2 + length
        }
        apply(profileOf: space, components: components)
        // Browsers ignore a profile with a part that is there twice.
        let isRepeated = Set(parts.map(\.number)).count < parts.count
        let profile = Data(parts.sorted { $0.number < $1.number }.map(\.content).joined())
        if isRepeated || ICCProfile.isDamaged(profile) { isExact = false }
    }

    /// Reads the chunks in front of the pixels. Of several descriptions the first of cICP, iCCP, sRGB, and gAMA with cHRM counts
    /// (PNG, third edition, 4.3).
    private mutating func readPNG() {
        var chunks: [String: Int] = [:]
        var (place, profiles) = (8, 0)
        while let length = number(place, 4), let name = text(place + 4), name != "IDAT" {
            if chunks[name] == nil { chunks[name] = place + 8 }
            if name == "iCCP" { profiles += 1 }
            place += 12 + length
        }
        let isGrey = chunks["IHDR"].flatMap { number($0 + 9, 1) }.map { $0 & 2 == 0 } ?? false
        if let codes = chunks["cICP"], number(codes - 8, 4) == 4, number(codes + 2, 2) == 1,
            let primaries = number(codes, 1),
            let transfer = number(codes + 1, 1)
        {
            // Chromium displays the curve of television as televisions do.
            describe(primaries, [1, 6, 14, 15].contains(transfer) ? .gamma(2.4) : Self.curve(transfer), isGrey)
            // libvips would take the embedded profile.
            if profiles > 0 { isExact = false }
        } else if chunks["sRGB"] == nil, let gamma = chunks["gAMA"].flatMap({ number($0, 4) }), gamma > 0 {
            let numbers = chunks["cHRM"].map { start in
                (0..<8).compactMap { number(start + 4 * $0, 4) }.map { Double($0) / 100_000 }
            }
            // Without primaries about the usual gamma means sRGB.
            if numbers?.count == 8 || abs(gamma - 45_455) > 2_273 {
                let primaries = numbers.map(ICCProfile.Primaries.init) ?? Self.rec709
                describe(primaries, .gamma(100_000 / Double(gamma)), isGrey)
            }
        }
        // Browsers take what of it the palette needs, libpng nothing.
        if let palette = chunks["PLTE"], let alpha = chunks["tRNS"], let colours = number(palette - 8, 4),
            let count = number(alpha - 8, 4), chunks["IHDR"].flatMap({ number($0 + 9, 1) }) == 3, count > colours / 3
        {
            isExact = false
        }
        // Of several profiles browsers take the first, libvips the last.
        if profiles > 1 { isExact = false }
        // libvips checks its kind, and takes the other profile instead.
        if chunks["iCCP"] != nil, profile == nil { profile = isGrey ? ICCProfile.grey(.sRGB) : Self.sRGB }
    }

    /// Reads the colours of AVIF and HEIC: `colr` among the properties of items (ISO/IEC 14496-12, 12.1.5). The first of each kind
    /// counts: files have one, or several that are equal.
    private mutating func readBoxes() {
        let metadata = boxes(boxes(0..<file.count).first { $0.type == "meta" }.map { Self.withoutVersion($0.content) })
        let properties = metadata.first { $0.type == "iprp" }?.content
        let known = boxes(boxes(properties).first { $0.type == "ipco" }?.content)
        let colours = known.filter { $0.type == "colr" }.map(\.content.lowerBound)
        if let place = colours.first(where: { ["prof", "rICC"].contains(text($0)) }) {
            apply(profileOf: text(place + 4 + Self.spaceOffset), components: 3)
        } else if let place = colours.first(where: { text($0) == "nclx" }), let primaries = number(place + 4, 2),
            let transfer = number(place + 6, 2)
        {
            describe(primaries, Self.curve([1, 6, 14, 15].contains(transfer) ? 13 : transfer), false)
        }
        let references = metadata.first { $0.type == "iref" }?.content
        let isMultiplied = boxes(references.map(Self.withoutVersion)).contains { $0.type == "prem" }
        let codings = known.filter { $0.type == "av1C" }
        let isGrey = !codings.isEmpty && codings.allSatisfy { (number($0.content.lowerBound + 2, 1) ?? 0) & 0x10 != 0 }
        let isUnknown = colours.filter { text($0) == "nclx" }.contains { place in
            // YCgCo, and grey without its full range.
            number(place + 8, 2) == 8 || isGrey && (number(place + 10, 1) ?? 0) & 0x80 == 0
        }
        if isMultiplied || isUnknown { isExact = false }
    }

    private static func withoutVersion(_ box: Range<Int>) -> Range<Int> {
        min(box.lowerBound + 4, box.upperBound)..<box.upperBound
    }

    private func boxes(_ range: Range<Int>?) -> [(type: String, content: Range<Int>)] {
        var found: [(String, Range<Int>)] = []
        var (place, end) = (range?.lowerBound ?? 0, range?.upperBound ?? 0)
        while place < end, let short = number(place, 4), let type = text(place + 4) {
            let header = short == 1 ? 16 : 8
            let length = short == 1 ? number(place + 8, 8) ?? 0 : short
            guard length >= header, length <= end - place else { break }
            found.append((type, place + header..<place + length))
            place += length
        }
        return found
    }

    // MARK: Colour spaces

    private mutating func describe(_ primaries: Int, _ curve: ICCProfile.Curve?, _ isGrey: Bool) {
        guard let primaries = Self.primaries[primaries], let curve else { return isExact = false }
        describe(primaries, curve, isGrey)
    }

    private mutating func describe(_ primaries: ICCProfile.Primaries, _ curve: ICCProfile.Curve, _ isGrey: Bool) {
        if curve == .sRGB, isGrey || primaries == Self.rec709 { return }
        profile = isGrey ? ICCProfile.grey(curve) : ICCProfile.rgb(primaries, curve)
    }

    private static let rec709 = ICCProfile.Primaries([0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06])
    private static let sRGB = ICCProfile.rgb(rec709, .sRGB)

    /// The primaries by their codes (ITU-T H.273, table 2): of sRGB, unspecified, of older television, BT.2020 and Display P3.
    private static let primaries = [
        1: rec709, 2: rec709, 5: .init([0.3127, 0.329, 0.64, 0.33, 0.29, 0.6, 0.15, 0.06]),
        6: .init([0.3127, 0.329, 0.63, 0.34, 0.31, 0.595, 0.155, 0.07]),
        9: .init([0.3127, 0.329, 0.708, 0.292, 0.17, 0.797, 0.131, 0.046]),
        12: .init([0.3127, 0.329, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06]),
    ]

    /// - Parameter transfer: the code of the curve (ITU-T H.273, table 3).
    private static func curve(_ transfer: Int) -> ICCProfile.Curve? {
        switch transfer {
        case 2, 13: .sRGB
        case 4: .gamma(2.2)
        case 5: .gamma(2.8)
        case 8: .gamma(1)
        default: nil
        }
    }

    // MARK: Bytes

    /// - Returns: a big-endian number; nil beyond the end of the file.
    private func number(_ place: Int, _ count: Int) -> Int? {
        guard place <= file.count - count else { return nil }
        return file[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    }

    private func text(_ place: Int, _ count: Int = 4) -> String? {
        guard place <= file.count - count else { return nil }
        return String(decoding: file[place..<place + count], as: UTF8.self)
    }
}
