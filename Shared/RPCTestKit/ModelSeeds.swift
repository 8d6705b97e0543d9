import Foundation

/// How many seeds the tests with random histories run.
public enum ModelSeeds {
    private static let variable = "IMAGE_FEED_MODEL_SEEDS"

    /// - Parameter usual: the number of seeds unless `IMAGE_FEED_MODEL_SEEDS` sets another.
    public static func count(usual: Int) -> Int {
        guard let text = ProcessInfo.processInfo.environment[variable] else { return usual }
        guard let count = Int(text), count > 0 else {
            preconditionFailure("\(variable) must be a positive number, not \(text)")
        }
        return count
    }

    /// How long such a test may take: minutes in an ordinary run, hours with a number of seeds that somebody has set.
    public static let minutes = ProcessInfo.processInfo.environment[variable] == nil ? 5 : 600
}
