import JSON
import RPC

/// The answer of `image-data.check`.
public struct CheckedImage: Sendable, Equatable {
    public let availability: Availability

    public init(availability: Availability) { self.availability = availability }

    public enum Availability: String, Sendable, CaseIterable {
        /// The service has stored the bytes.
        case kept
        /// The first load fetches the bytes, if their host answers.
        case fetched
        /// The service does not fetch: the bytes are missing until they are put.
        case absent
    }

    public static let codec = Codec<CheckedImage>.object { object in
        let availability = object.required("availability", .oneOf, \.availability)
        return { members throws(JSONError) in CheckedImage(availability: try members[availability]) }
    }
}
