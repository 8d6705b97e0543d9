import JSON
import RPC

/// A call of a command, for `--verbose`.
struct CallReport: Sendable {
    let method: String
    let traceID: String?

    /// Nil for a stream, which is reported when it begins.
    var duration: Duration?
    var failure: ErrorKind?
    var source = Source()

    /// The origin of an answer, if the answer states it.
    struct Source: Sendable {
        var origin: String?
        var savedAt: String?
        var cache: String?

        init() {}

        /// An answer without these members has no known source.
        init(of answer: RawJSON) { self = (try? answer.read(as: Self.codec)) ?? Source() }

        private static let codec = Codec<Source>.object { object in
            let origin = object.optional("origin", .string, \.origin)
            let savedAt = object.optional("saved_at", .string, \.savedAt)
            let cache = object.optional("source", .string, \.cache)
            return { members throws(JSONError) in
                var source = Source()
                (source.origin, source.savedAt, source.cache) = (
                    try members[origin], try members[savedAt], try members[cache]
                )
                return source
            }
        }
    }

    private var milliseconds: Double? { duration.map { ($0 / .microseconds(1)).rounded() / 1_000 } }

    /// For example `feed.load: 1.3 ms, origin store, trace id 4bf9…`.
    var text: String {
        let parts = [
            milliseconds.map { "\($0) ms" } ?? "stream", failure?.rawValue, source.origin.map { "origin \($0)" },
            source.savedAt.map { "saved at \($0)" }, source.cache.map { "source \($0)" },
            traceID.map { "trace id \($0)" },
        ]
        return "\(method): " + parts.compactMap(\.self).joined(separator: ", ")
    }

    static let codec = Codec<CallReport>.object { object in
        let method = object.required("method", .string, \.method)
        let milliseconds = object.optional("ms", .number(), \.milliseconds)
        let failure = object.optional("kind", .oneOf, \.failure)
        let origin = object.optional("origin", .string, \.source.origin)
        let savedAt = object.optional("saved_at", .string, \.source.savedAt)
        let cache = object.optional("source", .string, \.source.cache)
        let traceID = object.optional("trace_id", .string, \.traceID)
        return { members throws(JSONError) in
            var report = CallReport(method: try members[method], traceID: try members[traceID])
            report.duration = try members[milliseconds].map { .microseconds($0 * 1_000) }
            report.failure = try members[failure]
            (report.source.origin, report.source.savedAt, report.source.cache) = (
                try members[origin], try members[savedAt], try members[cache]
            )
            return report
        }
    }
}
