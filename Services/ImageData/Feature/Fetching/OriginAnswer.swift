import Foundation

/// An origin server's answer to one request.
public struct OriginAnswer: Sendable {
    public let status: Int
    public let body: Data

    /// Whether the body is complete; false when the connection was interrupted.
    public let isComplete: Bool

    private let headers: [String: String]

    /// - Parameter headers: their names in any case.
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

    /// The value of the `Age` header in seconds; 0 when it is absent or invalid.
    public var age: Int {
        guard let text = self["age"], !text.isEmpty,
            text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return 0 }
        // A value that overflows `Int` counts as the maximum.
        return min(Int(text) ?? Self.mostAge, Self.mostAge)
    }

    /// The maximum age; larger values mean the same (RFC 9111 §1.2.2).
    private static let mostAge = 2_147_483_648
}
