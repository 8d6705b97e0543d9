import Foundation

/// Builds the ICC profiles (ICC.1:2022) of pictures that describe their colours in another way.
enum ICCProfile {
    /// How the numbers of a picture become light.
    enum Curve: Equatable {
        case sRGB
        case gamma(Double)
    }

    /// The chromaticities of white and of the three primaries.
    struct Primaries: Equatable {
        struct Point: Equatable {
            let x, y: Double

            /// The colour with the luminance 1.
            fileprivate var colour: Colour { Colour(x / y, 1, (1 - x - y) / y) }
        }

        let white, red, green, blue: Point

        /// - Parameter numbers: x and y of white, red, green and blue.
        init(_ numbers: [Double]) {
            let points = (0..<4).map { Point(x: numbers[2 * $0], y: numbers[2 * $0 + 1]) }
            (white, red, green, blue) = (points[0], points[1], points[2], points[3])
        }
    }

    fileprivate typealias Colour = SIMD3<Double>

    /// Whether browsers ignore a profile that libvips applies: it ends before its stated length, or a part of it is behind that.
    static func isDamaged(_ profile: Data) -> Bool {
        let bytes = [UInt8](profile)
        func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        guard bytes.count >= 132, bytes[36..<40].elementsEqual("acsp".utf8) else { return false }
        let (length, tags) = (number(0), number(128))
        guard length <= bytes.count, length >= 132, tags <= (length - 132) / 12 else { return true }
        return (0..<tags).contains { number(136 + 12 * $0) + number(140 + 12 * $0) > length }
    }

    static func grey(_ curve: Curve) -> Data { profile("GRAY", [("kTRC", tag(curve))]) }

    /// - Returns: nil if the primaries do not span a colour space.
    static func rgb(_ primaries: Primaries, _ curve: Curve) -> Data? {
        let columns = [primaries.red, primaries.green, primaries.blue].map(\.colour)
        let white = primaries.white.colour
        let all = determinant(columns)
        let adaptation = deviceWhite / coneResponse(white)
        var tags: [(String, Data)] = []
        for (index, name) in ["r", "g", "b"].enumerated() {
            // The share of the primary in white, by Cramer's rule.
            var replaced = columns
            replaced[index] = white
            let colour = columns[index] * (determinant(replaced) / all)
            let adapted = multiplied(inverseBradford, coneResponse(colour) * adaptation)
            guard (0..<3).allSatisfy({ abs(adapted[$0]) < 100 }) else { return nil }
            tags += [(name + "XYZ", tag(adapted)), (name + "TRC", tag(curve))]
        }
        return profile("RGB ", tags)
    }

    // MARK: Colours

    /// The white of profiles: D50.
    private static let white = Colour(0.9642, 1, 0.8249)
    private static let deviceWhite = coneResponse(white)

    /// The matrix of Bradford and its inverse, by rows.
    private static let bradford = [
        Colour(0.8951, 0.2664, -0.1614), Colour(-0.7502, 1.7135, 0.0367), Colour(0.0389, -0.0685, 1.0296),
    ]
    private static let inverseBradford = [
        Colour(0.9869929, -0.1470543, 0.1599627), Colour(0.4323053, 0.5183603, 0.0492912),
        Colour(-0.0085287, 0.0400428, 0.9684867),
    ]

    private static func coneResponse(_ colour: Colour) -> Colour { multiplied(bradford, colour) }

    private static func multiplied(_ rows: [Colour], _ colour: Colour) -> Colour {
        Colour((rows[0] * colour).sum(), (rows[1] * colour).sum(), (rows[2] * colour).sum())
    }

    private static func determinant(_ c: [Colour]) -> Double {
        c[0].x * (c[1].y * c[2].z - c[2].y * c[1].z) - c[1].x * (c[0].y * c[2].z - c[2].y * c[0].z)
            + c[2].x * (c[0].y * c[1].z - c[1].y * c[0].z)
    }

    // MARK: Bytes

    /// Each tag is stored once for each name: a profile is small.
    private static func profile(_ space: String, _ tags: [(name: String, content: Data)]) -> Data {
        let tags = tags + [("wtpt", tag(white))]
        var (table, contents) = (number(tags.count), Data())
        let start = 128 + 4 + 12 * tags.count
        for (name, content) in tags {
            table += Data(name.utf8) + number(start + contents.count) + number(content.count)
            contents += content
        }
        let kind = number(0x0420_0000) + Data("mntr\(space)XYZ ".utf8) + Data(count: 12) + Data("acsp".utf8)
        let header = number(start + contents.count) + Data(count: 4) + kind + Data(count: 28) + fixed(white)
        return header + Data(count: 128 - header.count) + table + contents
    }

    private static func tag(_ colour: Colour) -> Data { Data("XYZ ".utf8) + Data(count: 4) + fixed(colour) }

    private static func tag(_ curve: Curve) -> Data {
        // The exponent, or the five parameters of a curve with a straight part near black.
        let (kind, parameters) =
            switch curve {
            case .gamma(let gamma): (0, [gamma])
            case .sRGB: (3, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
            }
        return Data("para".utf8) + Data(count: 4) + number(kind << 16) + Data(parameters.map(fixed).joined())
    }

    private static func fixed(_ colour: Colour) -> Data { fixed(colour.x) + fixed(colour.y) + fixed(colour.z) }

    private static func fixed(_ value: Double) -> Data { number(Int((value * 65_536).rounded())) }

    private static func number(_ value: Int) -> Data {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: value).bigEndian) { Data($0) }
    }
}
