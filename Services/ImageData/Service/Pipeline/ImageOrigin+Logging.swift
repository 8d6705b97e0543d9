import ImageData
import Logging

extension ImageOrigin {
    /// Fetches, and says in the log why what an origin has sent was refused: once, however many wait for it.
    func image(logger: Logger) -> ImageFetches.Fetch {
        { url, destination in
            do {
                return try await image(at: url, storingIn: destination)
            } catch let error as ImageOriginError where error.isLie {
                logger.warning("nothing is kept of \(url): \(error.rpcError.message)")
                throw error
            }
        }
    }
}

extension ImageOriginError {
    /// Whether something came as a picture that is none. An origin that has none, or is in trouble, has said so itself.
    fileprivate var isLie: Bool {
        switch self {
        case .malformed, .tooLarge, .rejected(.notAnImage), .rejected(.tooLarge): true
        case .unreachable, .forbidden, .rejected(.status): false
        }
    }
}
