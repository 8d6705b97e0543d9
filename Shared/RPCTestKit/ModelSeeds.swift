import Foundation

/// The number of seeds for tests with random histories.
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
}
