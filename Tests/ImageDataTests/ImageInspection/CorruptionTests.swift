import Foundation
import RPCTestKit
import Testing

@testable import ImageData

struct CorruptionTests {
    /// The minimum, the maximum, the values in the middle, and changes of one or all bits.
    private static let replacements: [@Sendable (UInt8) -> UInt8] = [
        { _ in 0 }, { _ in 0xFF }, { _ in 0x7F }, { _ in 0x80 }, { $0 ^ 1 }, { $0 &+ 1 }, { ~$0 },
    ]

    @Test(arguments: SampleImage.all)
    func `no wrong byte crashes, and accepted images are within the limits`(image: SampleImage) async {
        await apart {
            for position in image.bytes.indices {
                for replacement in Self.replacements {
                    var bytes = image.bytes
                    bytes[position] = replacement(bytes[position])
                    guard case .success(let info) = inspecting(bytes) else { continue }
                    #expect(info.width > 0 && info.height > 0 && info.frames > 0)
                    #expect(info.width * info.height * info.frames <= ImageInspector.maximumPixels)
                }
            }
        }
    }

    @Test(arguments: SampleImage.all.filter { $0.info.format == .png })
    func `every wrong byte in a PNG is rejected, but for those of texts`(image: SampleImage) throws {
        // The content and the checksum behind the type.
        let type = image.bytes.indices.first { image.bytes[$0...].starts(with: ascii("tEXt")) }
        let text = type.map { $0 + 4..<$0 + 8 + Int(image.bytes[$0 - 1]) } ?? 0..<0
        for position in image.bytes.indices {
            var bytes = image.bytes
            bytes[position] ^= 1
            #expect(inspecting(bytes).isAccepted == text.contains(position), "byte \(position)")
        }
    }

    @Test(arguments: SampleImage.all)
    func `four wrong bytes, as in a length, never crash`(image: SampleImage) async {
        await apart {
            for position in 0..<(image.bytes.count - 4) {
                for value: Bytes in [
                    zeros(4), be32(0xFFFF_FFFF), be32(0x7FFF_FFFF), be32(0x8000_0000), le32(0x7FFF_FFFF),
                ] {
                    var bytes = image.bytes
                    bytes.replaceSubrange(position..<(position + 4), with: value)
                    _ = inspecting(bytes)
                }
            }
        }
    }
}
