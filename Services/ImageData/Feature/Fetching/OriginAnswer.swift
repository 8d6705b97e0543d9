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
    public var age: Int {
        guard let text = self["age"], !text.isEmpty,
            text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return 0 }
        // What no number can hold is the most as well.
        return min(Int(text) ?? Self.mostAge, Self.mostAge)
    }

    /// More seconds mean nothing (RFC 9111 §1.2.2).
    private static let mostAge = 2_147_483_648
}
