import Foundation
import RPCTestKit
import Testing

@testable import ImageData

/// Tests with the photos of the sample feed, if they are beside the project.
struct RealPhotosTests {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "../../../../shared/photos").standardizedFileURL

    private static let photos =
        ((try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? [])
        .filter { ["jpg", "webp"].contains($0.pathExtension) }

    @Test(.enabled(if: !photos.isEmpty, "the photos are not beside the project"), arguments: photos)
    func `a photo is accepted and its prefixes are rejected`(photo: URL) async throws {
        try await apart {
            let bytes = try Data(contentsOf: photo)
            let info = try ImageInspector.inspect(bytes)
            #expect(info.format == (photo.pathExtension == "jpg" ? .jpeg : .webp))
            #expect(info.width > 100 && info.height > 100 && info.frames == 1)

            let sample = Array(stride(from: 0, to: bytes.count, by: max(1, bytes.count / 40)))
            for length in sample + [bytes.count - 2, bytes.count - 1] {
                #expect(!inspecting(bytes.prefix(length)).isAccepted, "the first \(length) of \(bytes.count) bytes")
            }
        }
    }
}
