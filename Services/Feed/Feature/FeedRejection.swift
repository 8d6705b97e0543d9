import JSON

/// An invalid answer of the upstream, and the reason.
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
