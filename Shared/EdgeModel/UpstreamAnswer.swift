import Foundation

/// GETs a URL with these headers. It returns an answer of any status, and throws when there is no answer.
public typealias UpstreamFetch =
    @Sendable (_ url: String, _ headers: [(name: String, value: String)]) async throws -> UpstreamAnswer

/// An upstream's answer to one request.
public struct UpstreamAnswer: Sendable {
    public let status: Int

    /// In the order received.
    public var headers: [(name: String, value: String)]
    public let body: Data

    /// The URL that answered, after all redirects; nil for the requested one. Relative references in the body begin there (RFC 3986,
    /// section 5.1.3).
    public let url: String?

    /// Whether the body is complete; false when the connection was interrupted.
    public let isComplete: Bool

    public init(
        status: Int, headers: [(name: String, value: String)] = [], body: Data = Data(), url: String? = nil,
        isComplete: Bool = true
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
        self.isComplete = isComplete
    }

    /// The answer to a conditional request when nothing has changed.
    public static let notModified = 304

    /// The header of a request whose answer must come from no cache.
    public static let fromNoCache = (name: "Cache-Control", value: "no-cache")

    /// The first value of a header.
    public subscript(_ name: String) -> String? { all(name).first }

    /// All values of a header.
    public func all(_ name: String) -> [String] {
        let name = name.lowercased()
        return headers.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// The `Age` of the answer in seconds; above 0 when it comes from a cache. An invalid or absent header counts as 0.
    public var age: Int {
        guard let age = self["Age"], !age.isEmpty, age.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
        return min(Int(age) ?? Self.maximumAge, Self.maximumAge)
    }

    /// The maximum age in seconds; larger values count as this one (RFC 9111, 1.2.2).
    public static let maximumAge = 1 << 31

    /// When the answer was generated, in whole seconds.
    public func savedAt(receivedAt now: Date) -> Date {
        Date(timeIntervalSince1970: (now.timeIntervalSince1970 - Double(age)).rounded(.down))
    }

    /// Whether the upstream's events tell when this answer is no longer current. Not for an answer from a cache, which may miss a
    /// change that they have already told.
    public var isMonitored: Bool { age == 0 && LinkRelations.all(in: all("Link")).contains(LinkRelations.monitor) }

    public var validators: AnswerValidators {
        AnswerValidators(etag: self["ETag"], lastModified: self["Last-Modified"])
    }
}
