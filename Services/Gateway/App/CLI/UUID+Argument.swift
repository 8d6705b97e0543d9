import Foundation
import RPC

extension UUID {
    /// Reads an id from the command line, in upper or lower case.
    @Sendable static func argument(_ text: String) throws -> UUID {
        guard let id = UUID(hexadecimal: text) else { throw NotAUUID() }
        return id
    }

    private struct NotAUUID: Error, CustomStringConvertible {
        let description = "it must be a UUID like 7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E"
    }
}
