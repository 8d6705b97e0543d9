import Foundation

/// Builds EXIF data: a TIFF file with an orientation, the name of a camera and a place.
enum EXIF {
    static let camera = "SecretCamera"

    /// - Parameters:
    ///   - kind: the type of the orientation: 1 BYTE, 3 SHORT, 4 LONG.
    ///   - others: the number of other entries in front of all.
    static func tiff(
        orientation: Int, isLittle: Bool = true, kind: Int = 3, count: Int = 1, others: Int = 0
    ) -> Bytes {
        func number(_ value: Int, _ bytes: Int) -> Bytes {
            let bigEndian = (0..<bytes).reversed().map { UInt8(value >> (8 * $0) & 0xFF) }
            return isLittle ? bigEndian.reversed() : bigEndian
        }
        func entry(_ tag: Int, _ kind: Int, _ count: Int, _ value: Bytes) -> Bytes {
            number(tag, 2) + number(kind, 2) + number(count, 4) + value
        }
        let name = ascii(camera + "\0")
        let directory = 8 + 2 + (others + 3) * 12 + 4
        let header = (isLittle ? ascii("II") : ascii("MM")) + number(42, 2) + number(8, 4)
        // A BYTE is the first of four.
        let value = number(orientation, kind == 1 ? 1 : kind == 4 ? 4 : 2)
        let entries =
            (0..<others).flatMap { entry($0 + 2, 3, 1, number(0, 4)) }
            + entry(0x010F, 2, name.count, number(directory, 4))
            + entry(0x0112, kind, count, value + zeros(4 - value.count))
            + entry(0x8825, 4, 1, number(directory + name.count, 4))
        // GPSLatitudeRef: north.
        let place = number(1, 2) + entry(1, 2, 2, ascii("N\0\0\0")) + number(0, 4)
        return header + number(others + 3, 2) + entries + number(0, 4) + name + place
    }

    /// IPTC data of Photoshop: the name of the camera as the city.
    static let iptc: Bytes = {
        let city = ascii(camera)
        let record = [0x1C, 2, 90] + be16(city.count) + city
        return ascii("8BIM") + [0x04, 0x04, 0, 0] + be32(record.count) + record + zeros(record.count % 2)
    }()

    /// A JPEG with EXIF data in its first segment.
    static func jpeg(_ picture: Data, orientation: Int, isLittle: Bool = true) -> Data {
        let segment = JPEGBytes.segment(0xE1, ascii("Exif\0\0") + tiff(orientation: orientation, isLittle: isLittle))
        return picture.prefix(2) + segment + picture.dropFirst(2)
    }
}
