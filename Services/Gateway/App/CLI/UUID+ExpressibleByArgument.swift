import ArgumentParser
import Foundation
import RPC

/// Ids on the command line are UUIDs, in upper or lower case.
extension UUID: @retroactive ExpressibleByArgument {
    public init?(argument: String) {
        self.init(hexadecimal: argument)
    }
}
