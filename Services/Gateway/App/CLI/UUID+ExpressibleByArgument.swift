import ArgumentParser
import Foundation

/// Ids are typed as UUIDs, in any case.
extension UUID: @retroactive ExpressibleByArgument {
    public init?(argument: String) {
        self.init(uuidString: argument)
    }
}
