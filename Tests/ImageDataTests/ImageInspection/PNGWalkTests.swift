import Foundation
import Testing

@testable import ImageData

struct PNGWalkTests {
    private let signature = PNGBytes.signature
    private let header = PNGBytes.header()
    private let data = PNGBytes.data
    private let end = PNGBytes.end

    @Test func `the header must be first and the image data consecutive`() {
        #expect(inspecting(signature + data + header + end).fault == "it does not begin with IHDR")
        #expect(inspecting(signature + header + header + data + end).fault == "a second IHDR")
        #expect(inspecting(signature + header + end).fault == "it has no image data")
        let empty = PNGBytes.chunk("IDAT", [])
        #expect(inspecting(signature + header + empty + end).fault == "its image data is empty")
        #expect(inspecting(signature + header + empty + data + end).isAccepted)
        let text = PNGBytes.chunk("tEXt", ascii("a\0b"))
        #expect(inspecting(signature + header + data + text + data + end).fault == "image data in two places")
    }

    @Test func `a chunk longer than the file is truncated`() {
        let claim = be32(0xFFFF_FFFF) + ascii("IDAT") + zeros(20)
        #expect(inspecting(signature + header + claim) == .failure(.truncated(.png)))
    }

    @Test func `a wrong checksum is rejected, but for texts and colours, which then do not count`() throws {
        func broken(_ chunk: Bytes) -> Bytes { chunk.dropLast() + [(chunk.last ?? 0) ^ 1] }
        let unknown = PNGBytes.chunk("zzZz", zeros(100))
        #expect(inspecting(signature + header + unknown + data + end).isAccepted)
        for drawn in [
            broken(header) + data + end, header + broken(data) + end, header + data + broken(end),
            header + broken(unknown) + data + end,
        ] {
            #expect(inspecting(signature + drawn).fault == "the checksum of a chunk is wrong")
        }
        let animation = [PNGBytes.animation(of: 1), PNGBytes.frame() + data]
        #expect(inspecting(signature + header + animation.joined() + end).frames == 1)
        #expect(
            inspecting(signature + header + broken(animation[0]) + animation[1] + end).fault
                == "the checksum of a chunk is wrong")
        for other in [PNGBytes.chunk("tEXt", ascii("a\0b")), PNGBytes.chunk("eXIf", EXIF.tiff(orientation: 6))] {
            let info = try ImageInspector.inspect(Data(signature + header + broken(other) + data + end))
            #expect(info.orientation == .upright && info.drawing == .other)
        }
    }

    @Test(
        arguments: [
            (0, [1, 2, 4, 8, 16]), (1, []), (2, [8, 16]), (3, [1, 2, 4, 8]), (4, [8, 16]), (5, []), (6, [8, 16]),
            (7, []),
        ] as [(UInt8, Set<UInt8>)])
    func `each colour type has its bit depths`(colour: UInt8, depths: Set<UInt8>) {
        for depth in UInt8(0)...17 {
            let outcome = inspecting(signature + PNGBytes.header(depth: depth, colour: colour) + data + end)
            #expect(outcome.fault == (depths.contains(depth) ? nil : "IHDR describes no PNG image"))
        }
    }

    @Test func `an animation must have the announced number of frames`() {
        let frames = PNGBytes.frame() + data + PNGBytes.frame() + PNGBytes.frameData
        #expect(inspecting(signature + header + PNGBytes.animation(of: 2) + frames + end).frames == 2)
        for wrong in [0, 1, 3, 0xFFFF_FFFF] {
            let image = signature + header + PNGBytes.animation(of: wrong) + frames + end
            #expect(inspecting(image).fault == "2 frames where \(wrong) were announced")
        }
    }

    @Test func `a frame must have data`() {
        let two = signature + header + PNGBytes.animation(of: 2) + PNGBytes.frame() + data
        #expect(inspecting(two + PNGBytes.frame() + end).fault == "a frame without data")
        #expect(inspecting(two + PNGBytes.frame() + PNGBytes.frame() + end).fault == "a frame without data")
        let empty = PNGBytes.chunk("fdAT", be32(2))
        #expect(inspecting(two + PNGBytes.frame() + empty + end).fault == "a frame without data")
        let orphan = signature + header + PNGBytes.animation(of: 1) + PNGBytes.frameData + data + end
        #expect(inspecting(orphan).fault == "frame data without a frame header")
    }

    @Test(arguments: [(17, 12, 0, 0), (16, 12, 1, 0), (4, 4, 12, 9), (0, 4, 0, 0), (1, 1, 0xFFFF_FFFF, 0)])
    func `a frame must be inside the canvas`(width: Int, height: Int, x: Int, y: Int) {
        let frame = PNGBytes.frame(width, height, x: x, y: y)
        let image = signature + header + PNGBytes.animation(of: 1) + frame + data + end
        #expect(inspecting(image).fault == "a frame outside the canvas")
    }

    @Test(arguments: [(16, 12, true), (15, 12, false), (16, 11, false)])
    func `a first frame that is the picture itself has the size of the canvas`(
        width: Int, height: Int, isAccepted: Bool
    ) {
        let frames = PNGBytes.frame(width, height) + data + PNGBytes.frame(4, 4) + PNGBytes.frameData
        let fault = isAccepted ? nil : "a first frame of another size than the canvas"
        #expect(inspecting(signature + header + PNGBytes.animation(of: 2) + frames + end).fault == fault)
        // The picture is for viewers without animation, and no frame.
        let hidden = PNGBytes.animation(of: 1) + data + PNGBytes.frame(width, height) + PNGBytes.frameData
        #expect(inspecting(signature + header + hidden + end).isAccepted)
    }

    @Test(arguments: [("CgBI", false), ("XXXX", false), ("xXXX", true), ("PLTE", true)])
    func `a chunk that viewers need and do not know is rejected`(type: String, isAccepted: Bool) {
        let fault = isAccepted ? nil : "a critical chunk of an unknown type"
        #expect(inspecting(signature + header + PNGBytes.chunk(type, [1, 2, 3]) + data + end).fault == fault)
    }

    @Test func `an animation announced too late or twice is rejected`() {
        let animation = PNGBytes.animation(of: 1)
        #expect(inspecting(signature + header + data + animation + end).fault == "an unexpected acTL")
        #expect(inspecting(signature + header + animation + animation + data + end).fault == "an unexpected acTL")
    }

    @Test func `frames without an announced animation are ignored as unknown chunks`() {
        let image = signature + header + PNGBytes.frame(99, 99) + data + PNGBytes.frameData + end
        #expect(inspecting(image).frames == 1)
    }
}
