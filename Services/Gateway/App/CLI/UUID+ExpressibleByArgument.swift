import ArgumentParser
import Foundation
import RPC

/// Ids are typed as UUIDs, in any case.
extension UUID: @retroactive ExpressibleByArgument {
    public init?(argument: String) {
        self.init(hexadecimal: argument)
    }
}
