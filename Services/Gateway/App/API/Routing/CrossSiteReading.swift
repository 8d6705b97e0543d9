import HTTPTypes

/// The headers that let scripts of other sites read the API (CORS). They never allow writing or cookies.
enum CrossSiteReading {
    /// The request headers that scripts may set.
    private static let requestFields = "If-None-Match, Range, If-Range, Last-Event-ID, Traceparent, Tracestate"

    /// The answer headers that scripts may read.
    private static let answerFields =
        "Age, Cache-Status, Content-Range, ETag, Link, Retry-After"

    /// How long a browser may keep the answer to a preflight request, in seconds.
    private static let lifetime = 86_400

    static func apply(to fields: inout HTTPFields) {
        fields[.accessControlAllowOrigin] = "*"
        fields[.accessControlExposeHeaders] = answerFields
    }

    /// Completes the answer to a preflight request.
    static func allow(_ fields: inout HTTPFields) {
        fields[.accessControlAllowOrigin] = "*"
        fields[.accessControlAllowMethods] = "GET, HEAD"
        fields[.accessControlAllowHeaders] = requestFields
        fields[.accessControlMaxAge] = "\(lifetime)"
    }
}
