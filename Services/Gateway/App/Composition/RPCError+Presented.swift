import Presentation
import RPC

extension RPCError {
    /// The error for a reader. What is wrong with a request stays as it is said. Everything else is said in general words:
    /// a service's text may name paths, internal addresses, or what a name resolves to. It stays in `cause`, for the log.
    func presented(in language: Language) -> RPCError {
        // A message that has a cause is general already.
        guard !isAboutTheRequest, cause == nil else { return self }
        var error = self
        error.cause = message
        error.message = ErrorPresenter.message(for: kind.rawValue, language: language)
        error.details = nil
        return error
    }

    private var isAboutTheRequest: Bool {
        switch kind {
        case .parseError, .invalidRequest, .methodNotFound, .invalidParams: true
        // The gateway's own words; a service's errors have its name.
        case .notFound, .tooLarge, .overloaded: service == nil
        default: false
        }
    }
}

/// Says errors in a reader's language.
func presentingErrors<Answer>(in language: Language, _ body: () async throws -> Answer) async throws -> Answer {
    do {
        return try await body()
    } catch let error as RPCError {
        throw error.presented(in: language)
    }
}
