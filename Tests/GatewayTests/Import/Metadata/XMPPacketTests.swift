import Foundation
import Testing

@testable import gateway

struct XMPPacketTests {
    private static func erasing(_ bytes: [UInt8]) -> (hadPosition: Bool, bytes: [UInt8]) {
        var content = bytes
        let hadPosition = XMPPacket.erasePosition(in: &content)
        return (hadPosition, content)
    }

    @Test(arguments: [
        (#"<x exif:GPSLatitude="38,43.2N" a="b"/>"#, #"<x exif:GPSLatitude="        " a="b"/>"#),
        (#"<x exif:GPSLongitude = '9,8W' />"#, #"<x exif:GPSLongitude = '    ' />"#),
        (#"<x drone-dji:GpsLatitude="+38.7">"#, #"<x drone-dji:GpsLatitude="     ">"#),
        (#"<x drone-dji:GpsLongtitude="+9"/>"#, #"<x drone-dji:GpsLongtitude="  "/>"#),
        (#"<x a:geo="b" geo:lat_long="3,4"/>"#, #"<x a:geo="b" geo:lat_long="   "/>"#),
        (#"<x a:RtkLat="3" geo:long="4"/>"#, #"<x a:RtkLat=" " geo:long=" "/>"#),
        ("<exif:GPSAltitude>12/1</exif:GPSAltitude>3", "<exif:GPSAltitude>    </exif:GPSAltitude>3"),
        (
            "<a:GPSLatitude xml:lang='x'>\n <b>1</b><![CDATA[2]]></a:GPSLatitude><c>3</c>",
            "<a:GPSLatitude xml:lang=' '>\n <b> </b><![CDATA[ ]]></a:GPSLatitude><c>3</c>"
        ),
        (#"<exif:GPSLatitude rdf:value="3" xmlns:b="4"/>"#, #"<exif:GPSLatitude rdf:value=" " xmlns:b="4"/>"#),
        ("<exif:GPSLatitude>38", "<exif:GPSLatitude>  "),
        ("<a:LocationId><b>geo:38.7,-9</b></a:LocationId>", "<a:LocationId><b>geo:       </b></a:LocationId>"),
        ("<x dwc:locationID='38.7223, 9.1393' b='4'/>", "<x dwc:locationID='               ' b='4'/>"),
        ("<dc:title><![CDATA[At lat 38.72]]></dc:title>", "<dc:title><![CDATA[At lat      ]]></dc:title>"),
        (#"<x b:a="{&quot;lat&quot;:38.72}"/>"#, #"<x b:a="{&quot;lat&quot;:     }"/>"#),
        ("<x dwc:footprintWKT='POINT (9 38)'/>", "<x dwc:footprintWKT='            '/>"),
        // Not well-formed.
        ("<x a=b exif:GPSLatitude='3'/>", "                             "),
        // Longer than others.
        (
            "<x exif:GPSLatitude='\(String(repeating: "0", count: 999))1'/>",
            "<x exif:GPSLatitude='\(String(repeating: " ", count: 1000))'/>"
        ),
    ])
    func `values of positions are erased`(text: String, erased: String) {
        let (hadPosition, bytes) = Self.erasing(Array(text.utf8))
        #expect(hadPosition)
        #expect(String(decoding: bytes, as: UTF8.self) == erased)
    }

    @Test(arguments: [
        "", "exif:GPSLatitude=\"3\"", "<dc:title>exif:GPSLatitude=\"38\" GPS 3</dc:title>", "<!-- <a:GPSLatitude>3 -->",
        "<x exif:GPSVersionID='2.3.0.0' exif:GPSMapDatum='WGS-84' exif:GPSTimeStamp='2021'/>",
        "<x exif:GPSLatitude=''/>",
        "<x exif:GPSLatitude='N'/>", "<x a=b/>3", "<", "<x", "<x a", "<x a=", "<x a='", "<?x", "<!--",
        "<x xmlns:gps='1'/>", "<a:LocationId>http://www.geonames.org/2267057</a:LocationId>",
        "<x crs:Dab='0.123456, 0.654321' crs:Matrix='1.234567 0.123456 0.345678'/>",
    ])
    func `other texts stay`(text: String) { #expect(Self.erasing(Array(text.utf8)) == (false, Array(text.utf8))) }

    @Test func `a position behind more tags than are read is erased with the rest of the packet`() {
        let tags = String(repeating: "<a/>", count: XMPPacket.mostNames - 2)
        let position = #"<x exif:GPSLatitude="38"/>"#
        #expect(
            Self.erasing(Array((tags + position).utf8)).bytes == Array((tags + #"<x exif:GPSLatitude="  "/>"#).utf8))
        let erased = tags + "<a/>" + String(repeating: " ", count: position.count)
        #expect(Self.erasing(Array((tags + "<a/>" + position).utf8)) == (true, Array(erased.utf8)))
        #expect(!Self.erasing(Array((tags + "<a/><b>38</b>").utf8)).hadPosition)
        let open = #"<exif:GPSLatitude>"# + tags
        #expect(Self.erasing(Array((open + "<a/>38").utf8)).bytes.suffix(2) == Array("  ".utf8))
    }

    @Test func `a tag with more attributes than are read is erased when it may have a position`() {
        let attributes = String(repeating: " a='1'", count: XMPPacket.mostNames - 1)
        let packet = Array("<x\(attributes) exif:GPSLatitude='38'/>".utf8)
        #expect(Self.erasing(packet) == (true, packet.map { _ in 0x20 }))
    }

    @Test(arguments: [(0, false), (2, false), (3, true)]) func `a tag has at most so many names`(
        count: Int, isRead: Bool
    ) {
        #expect((XMPPacket.Tag(Array("<x a='1' b='2'>".utf8), 0, atMost: count) != nil) == isRead)
    }

    @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian])
    func `a packet may have wide characters`(encoding: String.Encoding) throws {
        let text = #"<?xpacket begin="?"?><x exif:GPSLatitude="38é" b="ü3"/>"#
        let bytes = Array(try #require(text.data(using: encoding)))
        let erased = Array(try #require(text.replacing("38é", with: "   ").data(using: encoding)))
        #expect(Self.erasing(bytes) == (true, erased))
    }
}
