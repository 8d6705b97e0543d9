/// The bound that a number should meet.
enum Aim: Sendable, CustomStringConvertible {
    case atLeast(Double)
    case atMost(Double)

    func isReached(by value: Double) -> Bool {
        switch self {
        case .atLeast(let bound): value >= bound
        case .atMost(let bound): value <= bound
        }
    }

    /// - Parameters:
    ///   - what: the number that has the aim, for example `requests/s ×`.
    ///   - value: nil if nothing could be measured.
    func measured(_ what: String, _ value: Double?) -> MeasuredAim? {
        value.map { MeasuredAim(what: what, aim: self, value: $0) }
    }

    var description: String {
        switch self {
        case .atLeast(let bound): "at least \(Self.text(bound))"
        case .atMost(let bound): "at most \(Self.text(bound))"
        }
    }

    private static func text(_ bound: Double) -> String {
        bound == bound.rounded() ? "\(Int(bound))" : "\(bound)"
    }
}

/// An aim and the number that was measured.
struct MeasuredAim: Sendable {
    let what: String
    let aim: Aim
    let value: Double

    var isReached: Bool { aim.isReached(by: value) }

    var note: String { "\(what) \(aim): \(isReached ? "reached" : "MISSED")" }
}
