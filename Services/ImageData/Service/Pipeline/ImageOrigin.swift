import Foundation
import ImageData
import Upstream

/// Fetches a picture, maps it, stores it.
struct ImageOrigin: Sendable {
    /// One request to an origin.
    typealias Get = @Sendable (_ request: OriginRequest) async throws -> OriginAnswer

    /// How long a picture may take, with all requests that resume it: less than the 30 s that callers wait by default, so that
    /// they learn what failed.
    static let defaultTimeLimit = Duration.seconds(25)

    let get: Get
    let mapper: ImageDataMapper
    let caches: ImageCaches
    let now: @Sendable () -> Date
    var timeLimit = Self.defaultTimeLimit

    /// - Returns: nil when bytes were put for the URL, which are then the answer.
    func image(at url: String, storingIn destination: FetchDestination) async throws -> CachedImage? {
        // Looked up within the fetch, which a put retires: either the put is seen here, or nothing of this is stored.
        guard try await caches.pinned?.record(at: url) == nil else { return nil }
        let deadline = ContinuousClock.now + timeLimit
        var timeLeft = timeLimit
        let known = await caches.fetchedRecord(at: url, in: destination.tiers)
        var download = ImageDownload(
            limit: mapper.maximumBytes, validators: known?.record.validators ?? Validators())
        repeat {
            let answer = try await get(
                OriginRequest(
                    url: url, headers: download.headers, maximumBytes: mapper.maximumBytes, timeLimit: timeLeft))
            switch download.add(answer) {
            case .again: break
            case .cut: throw ImageOriginError.unreachable("it was cut off again and again")
            case .tooLarge: throw ImageOriginError.tooLarge(limit: mapper.maximumBytes)
            case .refused(let status): throw ImageOriginError.rejected(.status(status))
            case .notModified(let age):
                guard let kept = await caches.fetchedImage(at: url, in: destination.tiers) else {
                    // It was evicted meanwhile.
                    download = ImageDownload(limit: mapper.maximumBytes)
                    break
                }
                return await keep(
                    CachedImage(kept.image.stored(at: time(age)), validators: kept.validators), url, destination)
            case .whole(let data, let validators, let age):
                let image = try mapped(data)
                return await keep(
                    CachedImage(StoredImage(image, storedAt: time(age)), validators: validators), url, destination)
            }
            timeLeft = deadline - ContinuousClock.now
        } while timeLeft > .zero
        throw ImageOriginError.unreachable("it was cut off until its time was over")
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

    private func keep(_ image: CachedImage, _ url: String, _ destination: FetchDestination) async -> CachedImage {
        await caches.keep(image, at: url, in: destination)
        return image
    }
}

/// What an origin is asked for.
struct OriginRequest: Sendable {
    let url: String
    let headers: [(name: String, value: String)]

    /// How many bytes may come.
    let maximumBytes: Int

    /// How long the answer may take to be complete.
    let timeLimit: Duration
}
