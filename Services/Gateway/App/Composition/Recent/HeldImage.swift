import Foundation
import ImageDataContract
import NIOCore

/// The image of an item; any number of answers share its bytes.
struct HeldImage: SharedAnswer {
    let contentType: String

    /// The value of `Content-Disposition`.
    let disposition: String
    let sha256: String
    private(set) var source: ImageMetadata.Source
    let storedAt: Date

    /// How old the bytes were at `storedAt`, in seconds.
    let age: Int

    /// When the bytes expire; nil for bytes that were put.
    let expiresAt: Date?

    /// The upstream could not be reached, and the bytes have expired.
    let isStale: Bool
    let bytes: ByteBuffer

    /// Copies the bytes once, from `Data` to `ByteBuffer`.
    init(_ image: LoadedImage, disposition: String = "inline") {
        self.disposition = disposition
        contentType = image.metadata.contentType
        sha256 = image.metadata.sha256
        source = image.metadata.source
        storedAt = image.metadata.storedAt
        age = image.metadata.age
        expiresAt = image.expiresAt
        isStale = image.stale == true
        bytes = ByteBuffer(bytes: image.data.data)
    }

    var heldBytes: Int? { bytes.readableBytes }

    var kept: HeldImage {
        var kept = self
        if source == .remote { kept.source = .hot }
        return kept
    }
}
