import Foundation
import ImageData

/// Fetches a picture, maps it, keeps it.
struct ImageOrigin: Sendable {
    /// One request to an origin.
    typealias Get = @Sendable (_ request: OriginRequest) async throws -> OriginAnswer

    let get: Get
    let mapper: ImageDataMapper
    let caches: ImageCaches
    let now: @Sendable () -> Date

    /// - Parameter tiers: where to keep it, as far as is known when it has come.
    func image(at url: String, keepingIn tiers: @Sendable () -> ImageTiers) async throws -> CachedImage {
        let known = await caches.record(at: url, in: tiers())
        var download = ImageDownload(
            limit: mapper.maximumBytes, validators: known?.record.validators ?? Validators())
        while true {
            let answer = try await get(
                OriginRequest(url: url, headers: download.headers, maximumBytes: mapper.maximumBytes))
            switch download.add(answer) {
            case .again: continue
            case .cut: throw ImageOriginError.unreachable("it was cut off again and again")
            case .tooLarge: throw ImageOriginError.tooLarge(limit: mapper.maximumBytes)
            case .refused(let status): throw ImageOriginError.rejected(.status(status))
            case .notModified(let age):
                guard let kept = await caches.image(at: url, in: tiers()) else {
                    // It went while we asked.
                    download = ImageDownload(limit: mapper.maximumBytes)
                    continue
                }
                return await keep(
                    CachedImage(kept.image.stored(at: time(age)), validators: kept.validators), url, tiers())
            case .whole(let data, let validators, let age):
                let image = try mapped(data)
                return await keep(
                    CachedImage(StoredImage(image, storedAt: time(age)), validators: validators), url, tiers())
            }
        }
    }

    /// Bytes are as old as the origin says: what it has kept itself is not made new by being fetched.
    private func time(_ age: Int) -> Date { now().addingTimeInterval(-Double(age)) }

    private func mapped(_ data: Data) throws(ImageOriginError) -> InspectedImage {
        do throws(ImageDataRejection) {
            return try mapper.map(data)
        } catch {
            throw .rejected(error)
        }
    }

    private func keep(_ image: CachedImage, _ url: String, _ tiers: ImageTiers) async -> CachedImage {
        await caches.keep(image, at: url, in: tiers)
        return image
    }
}

/// What an origin is asked for.
struct OriginRequest: Sendable {
    let url: String
    let headers: [(name: String, value: String)]

    /// How many bytes may come.
    let maximumBytes: Int
}
