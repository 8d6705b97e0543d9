import Testing

@testable import ImageData

struct CRC32Tests {
    private func checksum(_ bytes: Bytes) -> UInt32 { bytes.withUnsafeBytes(CRC32.checksum) }

    @Test func `known checksums`() {
        #expect(checksum([]) == 0)
        #expect(checksum(ascii("123456789")) == 0xCBF4_3926)
        #expect(checksum(ascii("IEND")) == 0xAE42_6082)
    }

    @Test(arguments: 0...40)
    func `any length has the same checksum as a bitwise computation`(length: Int) {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 200) }
        #expect(checksum(bytes) == PNGBytes.checksum(bytes))
    }
}
