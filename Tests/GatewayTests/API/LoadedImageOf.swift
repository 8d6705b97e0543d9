import Foundation
import ImageDataContract
import RPC

/// An image of so many bytes, just loaded.
struct LoadedImageOf {
    let loaded: LoadedImage

    init(_ bytes: Int) {
        loaded = LoadedImage(
            data: Bytes(Data(repeating: 7, count: bytes)),
            metadata: ImageMetadata(
                contentType: "image/png", size: bytes, sha256: "00", source: .remote, storedAt: noon))
    }
}
