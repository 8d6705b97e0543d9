/// An error in a JSON text.
///
/// At a boundary, the two cases become different errors: text that is not JSON is a `parse_error`; valid JSON that does
/// not match its codec is `invalid_params` (in a request) or `invalid_data` (elsewhere).
public enum JSONError: Error, Equatable, Sendable {
    /// The text is not valid JSON (RFC 8259, I-JSON). `offset` counts bytes from the start of the text.
    case syntax(reason: String, offset: Int)

    /// The value at `path` (`items[3].id`, empty for the whole text) does not match its codec.
    case mismatch(path: String, reason: String)

    /// How many bytes of a name that a peer has made up an error repeats.
    static let longestName = 64

    /// The same error with the path prefixed by a component of the containing value.
    package func inside(_ component: String) -> JSONError {
        guard case .mismatch(let path, let reason) = self else { return self }
        let separator = path.isEmpty || path.utf8.first == UInt8(ascii: "[") ? "" : "."
        return .mismatch(path: component + separator + path, reason: reason)
    }
}

extension JSONError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .syntax(let reason, let offset): "\(reason) at byte \(offset)"
        case .mismatch("", let reason): reason
        case .mismatch(let path, let reason): "\(path): \(reason)"
        }
    }
}
