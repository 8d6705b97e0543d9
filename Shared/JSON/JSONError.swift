/// Why a JSON text was refused.
///
/// The two cases meet different fates at the boundary: a text that is not JSON is a `parse_error`, a value that is JSON
/// but not what was asked for is `invalid_params` (in a request) or `invalid_data` (anywhere else).
public enum JSONError: Error, Equatable, Sendable {
    /// The bytes are not JSON as RFC 8259 and I-JSON have it; `offset` counts bytes from the start of the text.
    case syntax(reason: String, offset: Int)

    /// The value at `path` (`items[3].id`, empty for the whole text) is not what its codec describes.
    case mismatch(path: String, reason: String)

    /// The same error as seen from the value that contains the one it was found in.
    package func inside(_ component: String) -> JSONError {
        guard case .mismatch(let path, let reason) = self else { return self }
        let separator = path.isEmpty || path.hasPrefix("[") ? "" : "."
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
