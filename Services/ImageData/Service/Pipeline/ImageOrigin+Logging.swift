import ImageData
import Logging

extension ImageOrigin {
    /// Fetches an image, and logs the reason when an answer is rejected: once, however many callers wait.
    func image(logger: Logger) -> ImageFetches.Fetch {
        { url, destination in
            do {
                return try await image(at: url, storingIn: destination)
            } catch let error as ImageOriginError where error.isLie {
                logger.warning("cannot use \(url): \(error.rpcError.message)")
                throw error
            }
        }
    }
}

extension ImageOriginError {
    /// Whether the answer has status 200 but is not a usable image. Other failures are not logged here.
    fileprivate var isLie: Bool {
        switch self {
        case .malformed, .tooLarge, .rejected(.notAnImage), .rejected(.tooLarge): true
        case .unreachable, .forbidden, .rejected(.status): false
        }
    }
}
