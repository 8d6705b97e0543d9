import Foundation
import JSON

/// The answer of `rpc.health`.
public struct Health: Sendable, Equatable {
    public enum Status: String, Sendable, CaseIterable {
        /// Everything works.
        case serving
        /// The service answers, but a part of it is impaired.
        case degraded
        /// The service is stopping.
        case draining
    }

    /// The state of one part that can fail on its own.
    public struct Check: Sendable, Equatable {
        public let name: String
        public let status: Status

        /// What is wrong, for a human reader; nil when the part is healthy.
        public let detail: String?

        /// When this state began.
        public let since: Date

        public init(name: String, status: Status, detail: String? = nil, since: Date) {
            self.name = name
            self.status = status
            self.detail = detail
            self.since = since
        }

        static let codec = Codec<Check>.object { object in
            let name = object.required("name", .string, \.name)
            let status = object.required("status", .oneOf, \.status)
            let detail = object.optional("detail", .string, \.detail)
            let since = object.required("since", .date, \.since)
            return { members throws(JSONError) in
                Check(
                    name: try members[name], status: try members[status], detail: try members[detail],
                    since: try members[since])
            }
        }
    }

    public let status: Status
    public let checks: [Check]

    /// Combines checks: the status is that of the worst one. A part that is slow serves: on a slow machine all are.
    public init(_ checks: [Check]) {
        let isWell = checks.allSatisfy { $0.status == .serving || $0.isSlowness }
        self.init(isWell ? .serving : .degraded, checks)
    }

    /// Sets a status that does not follow from the checks alone.
    public init(_ status: Status, _ checks: [Check]) {
        self.status = status
        self.checks = checks
    }

    /// The health of a server that may drain. Draining is said first: it explains the other checks.
    /// - Parameter draining: `CallContext.draining`.
    public func noting(_ draining: Check?) -> Health {
        draining.map { Health(.draining, [$0] + checks) } ?? self
    }

    public static let codec = Codec<Health>.object { object in
        let status = object.required("status", .oneOf, \.status)
        let checks = object.required("checks", .array(of: Check.codec), \.checks)
        return { members throws(JSONError) in Health(try members[status], try members[checks]) }
    }
}
