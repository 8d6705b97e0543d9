/// The part of a picture that is to be shown (`clap`, ISO/IEC 14496-12, 12.1.4). All numbers are fractions; the place is that of
/// the centre, relative to the picture's.
struct AVIFCrop {
    private typealias Fraction = (numerator: Int, denominator: Int)

    private let width, height, x, y: Fraction

    init(_ fields: inout ByteCursor) throws(ImageRejection) {
        width = try Self.fraction(&fields)
        height = try Self.fraction(&fields)
        x = try Self.fraction(&fields)
        y = try Self.fraction(&fields)
    }

    private static func fraction(_ fields: inout ByteCursor) throws(ImageRejection) -> Fraction {
        let numerator = Int(Int32(bitPattern: try fields.bigEndian(UInt32.self)))
        return (numerator, Int(try fields.bigEndian(UInt32.self)))
    }

    /// - Returns: nil for a part that Chromium does not crop to: one that does not begin at the top left, or not at whole pixels.
    func size(in picture: PixelSize) -> PixelSize? {
        guard let width = Self.length(width, x, in: picture.width),
            let height = Self.length(height, y, in: picture.height)
        else { return nil }
        return PixelSize(width: width, height: height)
    }

    private static func length(_ length: Fraction, _ offset: Fraction, in whole: Int) -> Int? {
        guard length.denominator > 0, offset.denominator > 0 else { return nil }
        let (pixels, rest) = length.numerator.quotientAndRemainder(dividingBy: length.denominator)
        let begins = 2 * offset.numerator == (pixels - whole) * offset.denominator
        return rest == 0 && 1...whole ~= pixels && begins ? pixels : nil
    }
}
