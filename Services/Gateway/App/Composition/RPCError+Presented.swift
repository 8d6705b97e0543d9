import Foundation
import ImageDataContract
import JSON
import Presentation
import RPC

extension RPCError {
    /// The error for a client. Messages about the request remain unchanged. All others are replaced by a general
    /// message, because a service's text may contain paths, internal addresses or resolved names. The original text
    /// moves to `cause`, for the log.
    /// - Parameter image: the image that the request is about, for the message when it does not exist.
    func presented(in language: Language, about image: UUID? = nil) -> RPCError {
        // A message with a cause is already general.
        guard !isAboutTheRequest, cause == nil else { return self }
        var error = self
        error.cause = message
        error.message =
            originStatus.map { Texts(language).text(.originStatus, "\($0)") }
            ?? image.flatMap { isAboutTheImage ? Texts(language).text(.imageMissing, $0.uuidString) : nil }
            ?? ErrorPresenter.message(for: kind.rawValue, language: language)
        error.details = nil
        return error
    }

    /// The status of an origin server: the only detail that clients get, because it reveals no address.
    private var originStatus: Int? {
        guard kind == .invalidData, let details else { return nil }
        // Other details do not have this member.
        return (try? details.read(as: OriginStatus.codec))?.status
    }

    /// Whether the image does not exist. The image may exist without bytes.
    private var isAboutTheImage: Bool { kind == .notFound && service != ImageDataContract.contract.name }

    private var isAboutTheRequest: Bool {
        switch kind {
        case .parseError, .invalidRequest, .methodNotFound, .invalidParams: true
        // True for the gateway's own errors only. An error of a service has the name of the service.
        case .notFound, .tooLarge, .overloaded: service == nil
        default: false
        }
    }
}

/// Translates errors into the caller's language.
/// - Parameter image: the image that the request is about.
func presentingErrors<Answer>(
    in language: Language, about image: UUID? = nil, _ body: () async throws -> Answer
) async throws -> Answer {
    do {
        return try await body()
    } catch let error as RPCError {
        throw error.presented(in: language, about: image)
    }
}
