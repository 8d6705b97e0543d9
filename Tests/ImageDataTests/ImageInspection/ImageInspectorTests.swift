import Foundation
import Testing

@testable import ImageData

struct ImageInspectorTests {
    @Test(arguments: SampleImage.all)
    func `a complete image is accepted with its format, size and frames`(image: SampleImage) {
        #expect(inspecting(image.bytes) == .success(image.info))
    }

    @Test(arguments: SampleImage.all.filter { $0.info.format != .avif })
    func `bytes after the end mark are ignored`(image: SampleImage) {
        #expect(inspecting(image.bytes + ascii("trailing")) == .success(image.info))
    }

    @Test(arguments: SampleImage.all)
    func `a slice is inspected like whole data`(image: SampleImage) {
        let surrounded = Data(ascii("before")) + image.bytes
        #expect(inspecting(surrounded.dropFirst(6)) == .success(image.info))
    }

    @Test func `empty data is rejected`() {
        #expect(inspecting(Data()) == .failure(.empty))
    }

    @Test(
        arguments: [
            "<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>",
            "<!DOCTYPE html><html><body><img src='a.jpg'></body></html>",
            "just text", "{\"items\":[]}", "%PDF-1.7", "BM", "II*\0", "GIF88a", "RIFF\0\0\0\0WAVEfmt ", "\u{1}",
        ])
    func `other formats are rejected`(text: String) {
        #expect(inspecting(ascii(text)) == .failure(.notAnImage))
    }

    @Test(arguments: [("isom", "mp42"), ("heic", "mif1"), ("mif1", "heic"), ("qt  ", "qt  ")])
    func `other ISO media files are no AVIF`(brand: String, compatible: String) {
        #expect(inspecting(AVIFBytes.brands(brand, compatible) + AVIFBytes.data) == .failure(.notAnImage))
    }

    @Test(arguments: 1...200)
    func `random bytes are rejected`(seed: UInt64) {
        var state = seed
        let bytes = (0..<256).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(state >> 56)
        }
        #expect(!inspecting(bytes).isAccepted)
    }

    @Test(arguments: SampleImage.all)
    func `bytes with the signature of another format are rejected`(image: SampleImage) {
        for other in SampleImage.all where other.info.format != image.info.format {
            #expect(!inspecting(other.bytes.prefix(12) + image.bytes.dropFirst(12)).isAccepted)
        }
    }
}
