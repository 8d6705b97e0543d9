import EdgeModel
import Foundation

/// A picture as pixels, row by row from the top left.
struct Pixels: Sendable, Equatable {
    let width: Int
    let height: Int

    /// Three bytes for each pixel: red, green, blue.
    let bytes: [UInt8]

    /// - Parameter bytes: must be `3 * width * height`.
    init(width: Int, height: Int, bytes: [UInt8]) {
        precondition(bytes.count == 3 * width * height)
        (self.width, self.height, self.bytes) = (width, height, bytes)
    }

    /// Reads a PPM as `vipsthumbnail` writes it: binary, in three or one components of 8 bits.
    /// - Returns: nil for other bytes.
    init?(ppm: Data) {
        // The magic number, the width, the height and the maximum, then one white space.
        var fields: [Int] = []
        var rest = ppm.dropFirst(2)
        while fields.count < 3 {
            rest = rest.drop { $0 == 0x20 || $0 == 0x0A }
            if rest.first == UInt8(ascii: "#") {
                rest = rest.drop { $0 != 0x0A }
                continue
            }
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard digits.count < 8, let number = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
            fields.append(number)
            rest = rest.dropFirst(digits.count)
        }
        let (width, height, body) = (fields[0], fields[1], rest.dropFirst())
        guard width > 0, height > 0, fields[2] == 255 else { return nil }
        switch String(decoding: ppm.prefix(2), as: UTF8.self) {
        case "P6" where body.count == 3 * width * height:
            self.init(width: width, height: height, bytes: Array(body))
        case "P5" where body.count == width * height:
            self.init(width: width, height: height, bytes: body.flatMap { [$0, $0, $0] })
        default: return nil
        }
    }

    /// The placeholder, scaled up smoothly.
    init(_ placeholder: Placeholder, width: Int, height: Int) {
        let (columns, rows, source) = (placeholder.columns, placeholder.rows, Array(placeholder.pixels))
        // The position of a target's pixel between the centres of two of the source's.
        func position(_ target: Int, of size: Int, in count: Int) -> (Int, Int, Double) {
            let place = (Double(target) + 0.5) / Double(size) * Double(count) - 0.5
            let inside = min(max(place, 0), Double(count - 1))
            return (Int(inside), min(Int(inside) + 1, count - 1), inside - inside.rounded(.down))
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(3 * width * height)
        for y in 0..<height {
            let (top, bottom, down) = position(y, of: height, in: rows)
            for x in 0..<width {
                let (left, right, across) = position(x, of: width, in: columns)
                for component in 0..<3 {
                    func value(_ row: Int, _ column: Int) -> Double {
                        Double(source[3 * (row * columns + column) + component])
                    }
                    let upper = value(top, left) * (1 - across) + value(top, right) * across
                    let lower = value(bottom, left) * (1 - across) + value(bottom, right) * across
                    bytes.append(UInt8((upper * (1 - down) + lower * down).rounded()))
                }
            }
        }
        self.init(width: width, height: height, bytes: bytes)
    }

    subscript(_ x: Int, _ y: Int) -> RGB {
        let start = 3 * (y * width + x)
        return RGB(bytes[start], bytes[start + 1], bytes[start + 2])
    }
}
