import Testing

@testable import gateway

struct CoordinateTextTests {
    private static func erasing(_ text: [UInt8]) -> (isFound: Bool, text: [UInt8]) {
        var bytes = text
        let isFound = CoordinateText.erase(in: &bytes)
        return (isFound, bytes)
    }

    @Test(arguments: [
        ("38.7223, -9.1393", "00.0000, -0.0000"), ("At N38.7223 W9.1393.", "At N00.0000 W0.0000."),
        (#"{"latitude":38.72,"iso":100}"#, #"{"latitude":00.00,"iso":100}"#),
        (#"{"coordinates":[-9.13,38.72]}"#, #"{"coordinates":[-0.00,00.00]}"#),
        ("lat=38.72 lon=-9.14 f/2.8", "lat=00.00 lon=-0.00 f/2.8"), ("geo:38.7,-9", "geo:00.0,-0"),
        ("GPSLatitude 38/1, 43/1", "GPSLatitude 00/0, 00/0"),
        ("exif:GPSLatitudei38,43.3N", "exif:GPSLatitudei00,00.0N"),
        ("https://maps.example/@38.7223,-9.1393,17z", "https://maps.example/@00.0000,-0.0000,00z"),
        ("38°43'20.3\"N 9°8'21\"W at 2021-01-31", "00°00'00.0\"N 0°0'00\"W at 2021-01-31"),
        ("38 deg 43' 20.28\" N", "00 deg 00' 00.00\" N"),
    ])
    func `coordinates become zeros`(text: String, erased: String) {
        let (isFound, bytes) = Self.erasing(Array(text.utf8))
        #expect(isFound)
        #expect(String(decoding: bytes, as: UTF8.self) == erased)
        #expect(Self.erasing(bytes).isFound == false)
    }

    @Test(arguments: [
        "", "Latitude", "I was 38 at latitude 9", "a flat for 12.50", "1.5, 2.25", "0.1234, 0.5678",
        "ISO 100, 50 mm, f/2.8",
        "version 1.2345.6789", "181.1234, 2.1234", "1.1234, 2.1234, 3.1234", "gps", "7°C and 8'", "2021-01-31 12:00:00",
        "1234.5678, 9.1393",
    ])
    func `other texts stay`(text: String) { #expect(Self.erasing(Array(text.utf8)) == (false, Array(text.utf8))) }

    @Test(arguments: ["a1.25", "a1 2", "1°", "lat ", "1.2345,"]) func `many numbers take no longer than others`(
        part: String
    ) {
        let text = Array(String(repeating: part, count: 200_000).utf8)
        #expect(Self.erasing(text) == (false, text))
    }

    @Test func `a text may be in UTF-16`() {
        func wide(_ text: String) -> [UInt8] { text.utf8.flatMap { [0, $0] } }
        #expect(Self.erasing(wide("lat 38.72")) == (true, wide("lat 00.00")))
    }
}
