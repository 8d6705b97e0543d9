import JSON

/// An answer of the upstream that is not what it should be, and why.
public struct FeedRejection: Error, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }

    init(_ error: JSONError) {
        description =
            switch error {
            case .syntax: "the body is not JSON: \(error)"
            case .mismatch("", let reason): "the body \(reason)"
            case .mismatch: "\(error)"
            }
    }
}
