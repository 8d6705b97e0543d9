/// Coordinates in free text, such as a comment: behind a word that names them, as a pair of decimals, or as degrees and minutes.
enum CoordinateText {
    /// Overwrites the digits of coordinates with zeros. Text in UTF-16 is searched for characters of ASCII.
    /// - Returns: whether there are coordinates.
    static func erase(in bytes: inout [UInt8]) -> Bool {
        let places = bytes.indices.filter { bytes[$0] != 0 }
        let found = coordinates(in: places.map { bytes[$0] })
        for index in found.joined() where isDigit(bytes[places[index]]) { bytes[places[index]] = UInt8(ascii: "0") }
        return !found.isEmpty
    }

    /// Where coordinates are that are not zero.
    static func coordinates(in text: [UInt8]) -> [Range<Int>] {
        var groups: [[Number]] = []
        for number in numbers(in: text) {
            if let last = groups.last?.last, isJoined(text[last.range.upperBound..<number.range.lowerBound]) {
                groups[groups.count - 1].append(number)
            } else {
                groups.append([number])
            }
        }
        return groups.compactMap { group in
            guard let first = group.first, let last = group.last, group.contains(where: { $0.value != 0 }) else {
                return nil
            }
            let range = first.range.lowerBound..<last.range.upperBound
            return isPair(group) || isLabelled(group, in: text) || isAngle(group, in: text) ? range : nil
        }
    }

    private struct Number {
        /// Where it is, with its sign.
        let range: Range<Int>
        let value: Double

        /// The number of digits behind the point.
        let decimals: Int
    }

    private static func numbers(in text: [UInt8]) -> [Number] {
        var (numbers, index) = ([Number](), 0)
        while index < text.count {
            guard isDigit(text[index]) else {
                index += 1
                continue
            }
            let start = index
            while index < text.count, isDigit(text[index]) { index += 1 }
            let whole = index - start
            var decimals = 0
            if index + 1 < text.count, text[index] == UInt8(ascii: "."), isDigit(text[index + 1]) {
                index += 1
                while index < text.count, isDigit(text[index]) { index += 1 }
                decimals = index - start - whole - 1
            }
            // Longer ones are years, times and sizes.
            guard whole <= mostWholeDigits, let value = Double(String(decoding: text[start..<index], as: UTF8.self))
            else { continue }
            let isSigned = start > 0 && "+-".utf8.contains(text[start - 1])
            numbers.append(Number(range: start - (isSigned ? 1 : 0)..<index, value: value, decimals: decimals))
        }
        return numbers
    }

    private static let mostWholeDigits = 3

    /// Whether a text between two numbers separates parts of one position.
    private static func isJoined(_ text: ArraySlice<UInt8>) -> Bool {
        text.count <= 8 && text.allSatisfy { separators.contains($0) }
    }

    /// With the signs of degrees, minutes and seconds, in UTF-8 and Latin-1, and with the points of the compass.
    private static let separators = Set(" ,;/|[]()\"':=&+-degNSEW°′″".utf8).union([0xB0])

    private static func isPair(_ group: [Number]) -> Bool {
        // Behind it an altitude or a zoom may follow.
        guard group.count >= 2, group.prefix(2).allSatisfy({ $0.decimals >= 4 }),
            group.dropFirst(2).allSatisfy({ $0.decimals < 4 })
        else { return false }
        let (least, most) = (min(group[0].value, group[1].value), max(group[0].value, group[1].value))
        // Parts of a picture's size are at most 1.
        return least <= 90 && most <= 180 && most > 1
    }

    /// Whether a word in front of the numbers says that they are a position.
    private static func isLabelled(_ group: [Number], in text: [UInt8]) -> Bool {
        guard let label = label(before: group[0].range.lowerBound, in: text) else { return false }
        let isPrecise = group.contains { $0.decimals >= 2 } || isAngle(group, in: text)
        if ["latitude", "longitude"].contains(where: label.contains) { return isPrecise || group.count >= 2 }
        if label == "geo" { return group.contains { $0.decimals >= 1 } }
        return isPrecise
            && (["gps", "coord", "latlon", "latlng"].contains(where: label.contains)
                || ["lat", "lon", "lng"].contains(label))
    }

    /// The word in front of a number, in lower case. Between them are signs, and at most one letter: a point of the compass.
    private static func label(before number: Int, in text: [UInt8]) -> String? {
        var end = number
        func takeWord() -> Range<Int> {
            let limit = max(end - longestGap, 0)
            while end > limit {
                let entity = entities.first { text.has($0, at: end - $0.utf8.count) }
                guard entity != nil || !isLetter(text[end - 1]) && !isDigit(text[end - 1]) else { break }
                end -= entity?.utf8.count ?? 1
            }
            let start = text[max(end - longestLabel, 0)..<max(end, 0)].lastIndex { !isLetter($0) }
            return (start.map { $0 + 1 } ?? max(end - longestLabel, 0))..<end
        }
        var word = takeWord()
        if word.count == 1 {
            end = word.lowerBound
            word = takeWord()
        }
        return word.isEmpty ? nil : String(decoding: text[word], as: UTF8.self).lowercased()
    }

    private static let (longestGap, longestLabel) = (12, 24)

    /// Quotation marks in XML.
    private static let entities = ["&quot;", "&#34;", "&apos;"]

    /// Whether the numbers are degrees and minutes with a point of the compass.
    private static func isAngle(_ group: [Number], in text: [UInt8]) -> Bool {
        guard group.count >= 2 else { return false }
        let degrees = text[group[0].range.upperBound..<group[1].range.lowerBound].filter { $0 != UInt8(ascii: " ") }
        let minutes = text[group[1].range.upperBound...].prefix(4).drop { $0 == UInt8(ascii: " ") }
        guard degreeSigns.contains(degrees), minuteSigns.contains(where: minutes.starts) else { return false }
        let place = max(group[0].range.lowerBound - 2, 0)..<min(group[group.count - 1].range.upperBound + 6, text.count)
        return text[place].contains { "NSEW".utf8.contains($0) }
    }

    private static let degreeSigns: [[UInt8]] = [Array("°".utf8), [0xB0], Array("deg".utf8)]
    private static let minuteSigns: [[UInt8]] = [Array("'".utf8), Array("′".utf8)]

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
