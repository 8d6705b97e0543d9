import Foundation
import Testing

@testable import gateway

struct VideoPositionTests {
    private static func erasing(_ bytes: [UInt8]) -> (hadPosition: Bool, bytes: [UInt8]) {
        var content = bytes
        let hadPosition = VideoPosition.erase(in: &content)
        return (hadPosition, content)
    }

    private static let mark = [0xA9] + Array("xyz".utf8)

    @Test(arguments: [
        ("+38.7223-009.1393/", "+00.0000-000.0000/"), ("+48.8+002.2/", "+00.0+000.0/"),
        ("+485130-0021740/", "+000000-0000000/"), ("+4851.5+00217.6+35/x", "+0000.0+00000.0+00/x"),
        ("+38.7223-009.1393x", "+00.0000-000.0000x"),
    ])
    func `a text of ISO 6709 is erased`(text: String, erased: String) {
        #expect(Self.erasing(Self.mark + Array(text.utf8)) == (true, Self.mark + Array(erased.utf8)))
    }

    @Test(arguments: ["+1", "+1+2/", "1.23456-7", "a+b", "+", "+38.7223", "-1.5+2.5", "+12-+34/", "++++////"])
    func `other texts stay`(text: String) {
        #expect(Self.erasing(Self.mark + Array(text.utf8)) == (false, Self.mark + Array(text.utf8)))
        #expect(Self.erasing(Array("+38.7223-009.1393/".utf8)).hadPosition == false)
    }

    @Test func `many signs take no longer than others`() {
        let text = Self.mark + Array(String(repeating: "+1", count: 1_000_000).utf8)
        #expect(Self.erasing(text).bytes == text)
    }

    @Test func `the box of 3GPP is erased`() {
        let head = [0, 0, 0, 0, 0x15, 0xC7] + Array("Home\0".utf8) + [1]
        func box(_ place: [UInt8]) -> [UInt8] { Containers.box("loci", head + place + Array("earth\0".utf8)) }
        let place = (1...12).map { UInt8($0) }
        #expect(Self.erasing(box(place)) == (true, box([UInt8](repeating: 0, count: 12))))
        #expect(Self.erasing(box([UInt8](repeating: 0, count: 12))).hadPosition == false)
        for length in 0..<30 { _ = Self.erasing(Array(box(place).prefix(length))) }
    }

    @Test func `numbers of JSON are erased`() {
        let text = #"x{"gpsLatitude":38.7223,"longitude": "-9.1393","n":1.25}"#
        let erased = #"x{"gpsLatitude":00.0000,"longitude": "-0.0000","n":1.25}"#
        #expect(Self.erasing(Array(text.utf8)) == (true, Array(erased.utf8)))
        #expect(Self.erasing(Array(erased.utf8)).hadPosition == false)
    }

    @Test func `the country of the network is erased`() {
        func trailer(_ code: String) -> [UInt8] { [0, 0, 0xA1, 0x0A, 8, 0, 0, 0] + Array("MCC_Data\(code)SEFH".utf8) }
        #expect(Self.erasing(trailer("268")) == (true, trailer("000")))
        #expect(Self.erasing(trailer("000")).hadPosition == false && Self.erasing(trailer("")).hadPosition == false)
    }

    @Test func `XMP in a box is erased`() {
        func box(_ value: String) -> [UInt8] {
            Containers.box("uuid", HEIFItems.xmpID + Array("<x exif:GPSLatitude='\(value)'/>".utf8)) + [1, 2, 3]
        }
        #expect(Self.erasing(box("38.7")) == (true, box("    ")))
    }
}
