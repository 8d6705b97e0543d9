import Foundation
import ImageDataContract
import RPC

/// A fetched image of this many bytes.
struct LoadedImageOf {
    let loaded: LoadedImage

    init(_ bytes: Int, sha256: String = "00") {
        loaded = LoadedImage(
            data: Bytes(Data(repeating: 7, count: bytes)),
            metadata: ImageMetadata(
                contentType: "image/png", size: bytes, sha256: sha256, source: .remote, storedAt: noon))
    }
}
