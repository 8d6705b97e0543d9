/// How a viewer must turn a picture (EXIF 2.32, tag 0x0112): 1…8, where 5…8 exchange width and height.
public struct Orientation: Equatable, Sendable {
    let value: Int

    public static let upright = Orientation(value: 1)

    /// To be turned by 90° in either direction.
    static let onItsSide = Orientation(value: 6)

    var exchangesSides: Bool { value >= 5 }

    /// Reads EXIF data, which is a TIFF file. It is only a hint: malformed data counts as upright.
    init(exif: ByteCursor) { value = (try? Self.value(in: exif)) ?? 1 }

    /// Whether data begins as EXIF data does.
    static func isExif(_ data: ByteCursor) -> Bool {
        let names: [[UInt8]] = [Array("II".utf8), Array("MM".utf8)]
        return data.remaining >= headerLength && names.contains { data.bytes.starts(with: $0) }
    }

    /// The length of the header of TIFF.
    private static let headerLength = 8

    init(value: Int) { self.value = value }

    private static func value(in tiff: ByteCursor) throws(ImageRejection) -> Int? {
        var header = tiff
        let order = try header.bigEndian(UInt16.self)
        guard order == 0x4949 || order == 0x4D4D else { return nil }
        let isLittle = order == 0x4949
        guard try header.number(UInt16.self, isLittle) == 42 else { return nil }
        var directory = tiff
        try directory.skip(Int(try header.number(UInt32.self, isLittle)))
        for _ in 0..<(try directory.number(UInt16.self, isLittle)) {
            let tag = try directory.number(UInt16.self, isLittle)
            let kind = try directory.number(UInt16.self, isLittle)
            let count = try directory.number(UInt32.self, isLittle)
            let value = Int(try directory.number(UInt16.self, isLittle))
            try directory.skip(2)
            // As in browsers, only one SHORT is an orientation.
            if tag == 0x0112, kind == 3, count == 1, 1...8 ~= value { return value }
        }
        return nil
    }
}

extension ByteCursor {
    fileprivate mutating func number<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type, _ isLittle: Bool
    ) throws(ImageRejection) -> Value {
        isLittle ? try littleEndian(type) : try bigEndian(type)
    }
}
