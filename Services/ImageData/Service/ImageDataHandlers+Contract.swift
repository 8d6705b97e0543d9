import EdgeModel
import Foundation
import ImageData
import ImageDataContract
import JSON
import RPC

// Conversions from the feature's types to the contract's.

extension ImageDataRejection {
    var rpcError: RPCError {
        switch self {
        case .status(404), .status(410): RPCError(.notFound, "the origin server has no such image")
        case .status(let status):
            RPCError(
                .invalidData, "the origin server answered with status \(status)",
                details: RawJSON(OriginStatus(status: status), as: OriginStatus.codec))
        case .tooLarge(let size, let limit):
            RPCError(.tooLarge, "the image has \(size) bytes, the limit is \(limit) (--max-image-bytes)")
        case .notAnImage(let rejection): RPCError(.invalidData, "refused: \(rejection.reason)")
        }
    }
}

extension StoredImage {
    /// - Parameter crc32: the checksum of the bytes, if it is already known.
    init(_ image: InspectedImage, crc32: UInt32? = nil, storedAt: Date, age: Int = 0) {
        self.init(
            record: ImageRecord(
                contentType: image.contentType, size: image.data.count, hash: ContentHash(of: image.data),
                crc32: crc32 ?? Bytes(image.data).crc32, storedAt: storedAt, age: age),
            data: image.data)
    }
}

extension ImageMetadata {
    init(_ record: ImageRecord, source: Source, hints: PictureHints = PictureHints()) {
        self.init(
            contentType: record.contentType, size: record.size, sha256: record.hash.hex, source: source,
            storedAt: record.storedAt, age: record.age, hints: hints)
    }
}

extension Eviction {
    init(_ params: EvictImages, now: Date) {
        switch params {
        case .urls(let urls): self = .urls(urls)
        case .olderThan(let seconds): self = .older(than: seconds, now: now)
        case .toBytes(let bytes): self = .downTo(bytes: bytes)
        }
    }
}

extension EvictedImages {
    init(_ evicted: Evicted) { self.init(count: evicted.urls, bytes: evicted.bytes) }
}
