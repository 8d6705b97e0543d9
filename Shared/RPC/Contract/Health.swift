import Foundation
import JSON

/// The answer of `rpc.health`.
public struct Health: Sendable, Equatable {
    public enum Status: String, Sendable, CaseIterable {
        /// Everything works.
        case serving
        /// It answers, but a part does not work as it should.
        case degraded
        /// It goes away.
        case draining
    }

    /// One thing that can go wrong on its own.
    public struct Check: Sendable, Equatable {
        public let name: String
        public let status: Status

        /// For a person: what is wrong; nil when nothing is.
        public let detail: String?

        /// Since when it has been so.
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

    /// As healthy as the worst of the checks.
    public init(_ checks: [Check]) {
        let isWell = checks.allSatisfy { $0.status == .serving }
        self.init(isWell ? .serving : .degraded, checks)
    }

    /// For a whole that is not just the sum of its parts.
    public init(_ status: Status, _ checks: [Check]) {
        self.status = status
        self.checks = checks
    }

    public static let codec = Codec<Health>.object { object in
        let status = object.required("status", .oneOf, \.status)
        let checks = object.required("checks", .array(of: Check.codec), \.checks)
        return { members throws(JSONError) in Health(try members[status], try members[checks]) }
    }
}
