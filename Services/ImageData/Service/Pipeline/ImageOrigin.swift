import EdgeModel
import Foundation
import ImageData
import NIOCore
import Timing

/// Fetches an image from its origin server, maps it and stores it.
struct ImageOrigin: Sendable {
    /// Sends one request to an origin server.
    typealias Get = @Sendable (_ request: OriginRequest) async throws -> UpstreamAnswer

    /// The time limit for an image, including all requests that resume it: less than the callers' default of 30 s, so
    /// that they learn the cause of a failure.
    static let timeLimit = Duration.seconds(25)

    let get: Get
    let mapper: ImageDataMapper
    let caches: ImageCaches
    let now: @Sendable () -> Date
    var clock: any MonotonicClock = .system

    /// - Returns: nil when bytes were put for the URL, which then take precedence.
    func image(at url: String, storingIn destination: FetchDestination) async throws -> CachedImage? {
        // Checked inside the fetch, because a put retires the fetch: either the put is seen here, or the result is not
        // stored.
        guard try await caches.pinned?.record(at: url) == nil else { return nil }
        let deadline = clock.now + TimeAmount(Self.timeLimit)
        let known = await caches.fetchedRecord(at: url, in: destination.tiers)
        var download = ImageDownload(
            limit: mapper.maximumBytes, validators: known?.record.validators ?? AnswerValidators())
        repeat {
            let answer = try await get(
                OriginRequest(
                    url: url, headers: download.headers, maximumBytes: mapper.maximumBytes,
                    timeLimit: clock.timeLeft(until: deadline)))
            switch download.add(answer) {
            case .again: break
            case .cut: throw ImageOriginError.unreachable("the connection was interrupted too often")
            case .tooLarge: throw ImageOriginError.tooLarge(limit: mapper.maximumBytes)
            case .refused(let status):
                let error = ImageOriginError.rejected(.status(status))
                // Otherwise the bytes would come back when the server stops.
                if error.isGone { await caches.dropFetched(at: url) }
                throw error
            case .notModified:
                guard let kept = await caches.fetchedImage(at: url, in: destination.tiers) else {
                    // The bytes were evicted in the meantime.
                    download = ImageDownload(limit: mapper.maximumBytes)
                    break
                }
                return await keep(
                    CachedImage(kept.image.stored(at: now(), age: answer.age), validators: kept.validators), url,
                    destination)
            case .whole(let data, let validators):
                let image = try mapped(data)
                let stored = StoredImage(image, storedAt: now(), age: answer.age)
                return await keep(CachedImage(stored, validators: validators), url, destination)
            }
        } while clock.now < deadline
        throw ImageOriginError.unreachable("the connection was interrupted until the time limit expired")
    }

    private func mapped(_ data: Data) throws(ImageOriginError) -> InspectedImage {
        do throws(ImageDataRejection) {
            return try mapper.map(data)
        } catch {
            throw .rejected(error)
        }
    }

    private func keep(_ image: CachedImage, _ url: String, _ destination: FetchDestination) async -> CachedImage {
        await caches.keep(image, at: url, in: destination)
        return image
    }
}

/// A request to an origin server.
struct OriginRequest: Sendable {
    let url: String
    let headers: [(name: String, value: String)]

    /// The maximum size of the answer.
    let maximumBytes: Int

    /// The time limit for the whole answer.
    let timeLimit: Duration
}
