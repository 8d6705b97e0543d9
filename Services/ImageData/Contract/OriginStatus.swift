import JSON

/// The details of `invalid_data` for an answer of the origin server that is not 200.
public struct OriginStatus: Sendable, Equatable {
    public let status: Int

    public init(status: Int) { self.status = status }

    public static let codec = Codec<OriginStatus>.object { object in
        let status = object.required("origin_status", .integer(), \.status)
        return { members throws(JSONError) in OriginStatus(status: try members[status]) }
    }
}
