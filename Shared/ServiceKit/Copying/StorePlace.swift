import Foundation

/// Where the store of an authority is.
public enum StorePlace: Equatable, Sendable, CustomStringConvertible {
    case file(String)
    case database(DatabaseURL)

    /// - Parameter text: a path, or the URL of a database.
    public init(_ text: String) throws(DatabaseURL.Refusal) {
        self = try DatabaseURL(text).map(StorePlace.database) ?? .file(text)
    }

    public var description: String {
        switch self {
        case .file(let path): path
        case .database(let url): "\(url)"
        }
    }
}
