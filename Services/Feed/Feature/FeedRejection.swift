import Foundation

/// An answer of the upstream that is not what it should be, and why.
public struct FeedRejection: Error, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }

    /// - Parameter error: of a decoder.
    init(_ error: any Error) {
        description =
            switch error {
            case DecodingError.keyNotFound(let key, let context): "\(Self.path(context, key)) is missing"
            case DecodingError.valueNotFound(_, let context): "\(Self.path(context)) is null"
            case DecodingError.typeMismatch(_, let context): "\(Self.path(context)) has the wrong type"
            case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
                "\(Self.path(context)) is malformed"
            default: "the body is not JSON"
            }
    }

    /// `items[3].image`
    private static func path(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
        let keys = context.codingPath + (key.map { [$0] } ?? [])
        let path = keys.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
        return path.isEmpty ? "the body" : String(path.dropFirst())
    }
}
