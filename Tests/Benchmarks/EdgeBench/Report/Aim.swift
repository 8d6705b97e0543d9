/// The bound that a number should meet.
enum Aim {
    case atLeast(Double)
    case atMost(Double)

    func isMet(by value: Double) -> Bool {
        switch self {
        case .atLeast(let bound): value >= bound
        case .atMost(let bound): value <= bound
        }
    }

    /// - Parameter value: nil if nothing could be measured.
    func note(_ what: String, _ value: Double?) -> String {
        guard let value else { return "" }
        let bound =
            switch self {
            case .atLeast(let bound): "at least \(Self.text(bound))"
            case .atMost(let bound): "at most \(Self.text(bound))"
            }
        return "\(what) \(bound): \(isMet(by: value) ? "met" : "MISSED")"
    }

    private static func text(_ bound: Double) -> String {
        bound == bound.rounded() ? "\(Int(bound))" : "\(bound)"
    }
}
