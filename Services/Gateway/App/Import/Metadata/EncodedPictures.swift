import Foundation

/// The JPEG files that XMP has in Base64: previews, and the pictures behind one with depth. They have metadata of their own.
enum EncodedPictures {
    /// The first bytes of a JPEG file.
    private static let beginning = Array("/9j/".utf8)

    /// - Parameter depth: in how many other metadata the content is.
    static func erasePosition(in content: inout [UInt8], depth: Int) -> Bool {
        var (isFound, place) = (false, 0)
        while let hit = content.range(of: beginning, from: place) {
            let digits = digits(in: content, from: hit.lowerBound)
            place = (digits.last ?? hit.lowerBound) + 1
            let text = digits.prefix(digits.count / 4 * 4).map { content[$0] }
            guard let data = Data(base64Encoded: Data(text)) else { continue }
            var picture = [UInt8](data)
            guard JPEGSegments.erasePosition(ofPicturesIn: &picture, depth: depth + 1) else { continue }
            for (place, digit) in zip(digits, Data(picture).base64EncodedData()) { content[place] = digit }
            isFound = true
        }
        return isFound
    }

    /// The places of the digits of a Base64 text, without its line breaks.
    private static func digits(in content: [UInt8], from start: Int) -> [Int] {
        var (places, place) = ([Int](), start)
        while place < content.count {
            switch content[place] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
                places.append(place)
                place += 1
            case 0x09, 0x0A, 0x0D, 0x20: place += 1
            case UInt8(ascii: "&"):
                guard let lineBreak = lineBreaks.first(where: { content.has($0, at: place) }) else { return places }
                place += lineBreak.utf8.count
            default: return places
            }
        }
        return places
    }

    private static let lineBreaks = ["&#xA;", "&#xD;", "&#10;", "&#13;"]
}
