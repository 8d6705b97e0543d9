/// The position in a video (ISO/IEC 14496-12): as text of ISO 6709, in a box of 3GPP, in XMP, and in JSON.
enum VideoPosition {
    static func erase(in bytes: inout [UInt8]) -> Bool {
        var isFound = false
        let marks = [[0xA9] + Array("xyz".utf8), Array("location.ISO6709".utf8)]
        if marks.contains(where: { bytes.range(of: $0, from: 0) != nil }), eraseTexts(in: &bytes) { isFound = true }
        if eraseBoxes(in: &bytes) { isFound = true }
        if eraseXMP(in: &bytes) { isFound = true }
        if eraseLabelled(in: &bytes) { isFound = true }
        if eraseNetwork(in: &bytes) { isFound = true }
        return isFound
    }

    /// `+38.7223-009.1393/`, also in minutes and seconds, and with a height.
    private static func eraseTexts(in bytes: inout [UInt8]) -> Bool {
        var (isFound, index) = (false, 0)
        while index < bytes.count {
            let start = index
            var (numbers, decimals) = (0, 0)
            while index < bytes.count, isSign(bytes[index]) {
                let digits = bytes[(index + 1)...].prefix(while: isDigit).count
                guard digits >= 1 else { break }
                let point = index + 1 + digits
                let hasPoint = point < bytes.count && bytes[point] == UInt8(ascii: ".")
                let fraction = hasPoint ? bytes[(point + 1)...].prefix(while: isDigit).count : 0
                numbers += 1
                decimals += fraction
                index = fraction > 0 ? point + 1 + fraction : point
            }
            let isEnded = index < bytes.count && bytes[index] == UInt8(ascii: "/")
            if numbers >= 2, isEnded && index - start >= 10 || decimals >= 4 {
                for place in start..<index where isDigit(bytes[place]) { bytes[place] = UInt8(ascii: "0") }
                isFound = true
            }
            index = max(index, start + 1)
        }
        return isFound
    }

    /// The box `loci` (3GPP TS 26.244, §8.13): a name, a role, then longitude, latitude and height of four bytes.
    private static func eraseBoxes(in bytes: inout [UInt8]) -> Bool {
        var (isFound, start) = (false, 0)
        while let mark = bytes.range(of: Array("loci".utf8), from: start) {
            start = mark.upperBound
            guard let length = bytes.bigEndian(at: mark.lowerBound - 4, 4), (24...1_024).contains(length) else {
                continue
            }
            let box = mark.upperBound..<min(mark.lowerBound - 4 + length, bytes.count)
            // Behind the version, the flags and the language.
            guard box.count > 6, let end = bytes[(box.lowerBound + 6)..<box.upperBound].firstIndex(of: 0),
                end + 14 <= box.upperBound
            else { continue }
            let numbers = end + 2..<end + 14
            guard bytes[numbers].contains(where: { $0 != 0 }) else { continue }
            for place in numbers { bytes[place] = 0 }
            isFound = true
        }
        return isFound
    }

    /// The box `uuid` with XMP (XMP specification, part 3, §1.2.7).
    private static func eraseXMP(in bytes: inout [UInt8]) -> Bool {
        var (isFound, start) = (false, 0)
        while let mark = bytes.range(of: HEIFItems.xmpID, from: start) {
            start = mark.upperBound
            guard let length = bytes.bigEndian(at: mark.lowerBound - 8, 4), length > 24 else { continue }
            let box = mark.upperBound..<max(mark.upperBound, min(mark.lowerBound - 8 + length, bytes.count))
            var text = Array(bytes[box])
            guard XMPPacket.erasePosition(in: &text) else { continue }
            bytes.replaceSubrange(box, with: text)
            isFound = true
        }
        return isFound
    }

    /// Numbers behind words, as in the JSON that phones append to pictures.
    private static func eraseLabelled(in bytes: inout [UInt8]) -> Bool {
        var isFound = false
        for word in ["latitude", "Latitude", "longitude", "Longitude"] {
            var start = 0
            while let mark = bytes.range(of: Array(word.utf8), from: start) {
                start = mark.upperBound
                let place = mark.lowerBound..<min(mark.upperBound + longestValue, bytes.count)
                var text = Array(bytes[place])
                guard CoordinateText.erase(in: &text) else { continue }
                bytes.replaceSubrange(place, with: text)
                isFound = true
            }
        }
        return isFound
    }

    /// The country of the mobile network, which Samsung's phones append.
    private static func eraseNetwork(in bytes: inout [UInt8]) -> Bool {
        guard let mark = bytes.range(of: Array("MCC_Data".utf8), from: 0) else { return false }
        let digits = bytes[mark.upperBound...].prefix(3).prefix(while: isDigit).indices
        guard bytes[digits].contains(where: { $0 != UInt8(ascii: "0") }) else { return false }
        for place in digits { bytes[place] = UInt8(ascii: "0") }
        return true
    }

    /// The number behind a word has ended after so many bytes.
    private static let longestValue = 32

    private static func isSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
