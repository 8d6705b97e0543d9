import Foundation

/// What an origin has answered to one request.
public struct OriginAnswer: Sendable {
    public let status: Int
    public let body: Data

    /// Whether the body came to its end; if not, the connection was cut.
    public let isComplete: Bool

    private let headers: [String: String]

    /// - Parameter headers: by any spelling of their names.
    public init(
        status: Int, headers: [(name: String, value: String)] = [], body: Data = Data(), isComplete: Bool = true
    ) {
        self.status = status
        self.body = body
        self.isComplete = isComplete
        self.headers = Dictionary(headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
    }

    public subscript(_ name: String) -> String? { headers[name] }

    public var validators: Validators { Validators(etag: self["etag"], lastModified: self["last-modified"]) }

    /// How many seconds ago the origin's own origin gave the answer; never less than none.
    public var age: Int { self["age"].flatMap { Int($0) }.map { min(max($0, 0), Self.mostAge) } ?? 0 }

    /// More seconds mean nothing (RFC 9111 §1.2.2).
    private static let mostAge = 2_147_483_648
}
