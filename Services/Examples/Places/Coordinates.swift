import Foundation

/// A point on the earth, in degrees.
struct Coordinates: Sendable, Equatable {
    let latitude: Double
    let longitude: Double

    /// `12.97° S, 38.51° W`.
    var text: String {
        "\(Self.text(latitude, "N", "S")), \(Self.text(longitude, "E", "W"))"
    }

    private static func text(_ degrees: Double, _ positive: String, _ negative: String) -> String {
        let number = abs(degrees).formatted(.number.precision(.fractionLength(2)).locale(Locale(identifier: "en")))
        return "\(number)° \(degrees < 0 ? negative : positive)"
    }
}
