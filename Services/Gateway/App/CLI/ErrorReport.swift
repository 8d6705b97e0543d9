import JSON
import Presentation
import RPC

/// An error as the command line reports it: a line of text with hints, or JSON.
struct ErrorReport: Sendable, Equatable {
    let message: String
    let kind: ErrorKind?
    let exitCode: Int32
    var service: String?

    /// Set when a process has answered and logged the error.
    var traceID: String?

    /// What the user can do, one line each.
    var hints: [String] = []

    /// For text: the message, and the kind of an answer's error.
    var line: String { service == nil ? message : kind.map { "\(message) (\($0.rawValue))" } ?? message }

    var json: RawJSON { RawJSON(self, as: Self.codec) }

    private static let codec = Codec<ErrorReport>.object { object in
        let error = object.required("error", members, { $0 })
        return { members throws(JSONError) in try members[error] }
    }

    private static let members = Codec<ErrorReport>.object { object in
        let kind = object.optional("kind", .oneOf, \.kind)
        let message = object.required("message", .string, \.message)
        let exitCode = object.required("exit_code", .integer(), { Int($0.exitCode) })
        let service = object.optional("service", .string, \.service)
        let traceID = object.optional("trace_id", .string, \.traceID)
        let hints = object.optional("hints", .array(of: .string), { $0.hints.isEmpty ? nil : $0.hints })
        return { members throws(JSONError) in
            ErrorReport(
                message: try members[message], kind: try members[kind], exitCode: Int32(try members[exitCode]),
                service: try members[service], traceID: try members[traceID], hints: try members[hints] ?? [])
        }
    }
}

extension ErrorReport {
    /// How a command presents the errors of its calls.
    struct Context {
        let language: Language

        /// Where the gateway should be, for the hints when it does not answer.
        let place: GatewayPlace

        /// Whether the gateway answers the command's errors in the reader's language.
        let isTranslated: Bool

        /// What the user calls the parameters of the command's calls.
        let parameterNames: [String: String]
    }

    /// - Parameter trace: the trace of the command's calls.
    init(_ failure: CommandFailure, _ context: Context, trace: TraceContext) {
        let error = failure.error
        let isUnreached = error.kind == .unavailable && error.service == nil && failure.hints.isEmpty
        // A report is in the reader's language as a whole, or else in English, as the messages of the services are.
        let isTranslated = isUnreached || context.isTranslated && error.kind != .invalidParams
        let texts = Texts(isTranslated ? context.language : .en)
        self.init(
            message: isUnreached
                ? Self.unreached(error, context.language) : Self.message(of: error, context),
            kind: failure.exitCode == nil ? error.kind : nil, exitCode: failure.exitCode ?? error.kind.exitCode)
        service = error.service
        hints = failure.hints
        // Servers log errors of class 5xx only (PROTOCOL.md §6.8). An error without a service was made in this process.
        if error.service != nil, error.kind.isServerError, let id = trace.id {
            traceID = id
            hints.append(texts.text(.traceHint, id))
        }
        if isUnreached { hints += context.place.hints(texts) }
    }

    private static func unreached(_ error: RPCError, _ language: Language) -> String {
        let words = ErrorPresenter.message(for: ErrorKind.connectivity.rawValue, language: language)
        return language == .en ? "\(words): \(error.message)" : words
    }

    /// The message of the gateway in the reader's language, or a service's with what its kind means.
    private static func message(of error: RPCError, _ context: Context) -> String {
        // Errors of this process name the file or the argument.
        guard let service = error.service else { return named(error.message, context.parameterNames) }
        if error.kind == .invalidParams { return named(error.message, context.parameterNames) }
        let words = ErrorPresenter.specificMessage(for: error.kind.rawValue, language: .en)
        if context.isTranslated || words == error.message { return error.message }
        let place = service == "gateway" ? nil : service
        return [words, place, error.message].compactMap(\.self).joined(separator: ": ")
    }

    /// Replaces the name of a parameter (`params.limit: …`) by what the user has typed (`--limit: …`).
    private static func named(_ message: String, _ names: [String: String]) -> String {
        guard message.hasPrefix("params."), let end = message.firstIndex(of: ":") else { return message }
        let path = message[..<end].dropFirst("params.".count)
        guard let name = names[String(path)] else { return message }
        return name + message[end...]
    }
}

extension RPCError {
    /// The reason in one language only: in English the message, which is more precise, otherwise the text of the kind.
    func reason(in language: Language) -> String {
        language == .en ? message : ErrorPresenter.message(for: kind.rawValue, language: language)
    }
}
