import JSON

/// The versions of a contract that a client can use: `1`, or `{"min":1,"max":2}`.
public struct ContractVersions: Sendable, Equatable {
    public let range: ClosedRange<Int>

    public init(_ range: ClosedRange<Int>) { self.range = range }

    func include(_ version: Int) -> Bool { range.contains(version) }

    public static let codec = Codec<ContractVersions>.union { union in
        let single = union.alternative(.integer(1 ... .max)) { ContractVersions($0...$0) }
        let several = union.alternative(bounds) { $0 }
        return { $0.range.count == 1 ? single($0.range.lowerBound) : several($0) }
    }

    private static let bounds = Codec<ContractVersions>.object { object in
        let min = object.required("min", .integer(1 ... .max), \.range.lowerBound)
        let max = object.required("max", .integer(1 ... .max), \.range.upperBound)
        return { members throws(JSONError) in
            let (first, last) = (try members[min], try members[max])
            guard first <= last else { throw .mismatch(path: "max", reason: "must be at least min, which is \(first)") }
            return ContractVersions(first...last)
        }
    }
}

extension ContractVersions: ExpressibleByIntegerLiteral {
    public init(integerLiteral version: Int) { self.init(version...version) }
}

extension ContractVersions: CustomStringConvertible {
    /// `1`, or `1 to 2`.
    public var description: String {
        range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
    }
}
