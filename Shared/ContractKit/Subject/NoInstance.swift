import RPC

/// A running instance that is to be verified, but does not accept connections.
public struct NoInstance: Error, Sendable, CustomStringConvertible {
    public let description: String

    /// - Throws: `NoInstance` when nothing accepts a connection at this path.
    static func check(_ path: String, by deadline: Deadline) throws {
        do {
            _ = try WireConnection(to: SocketPath(path), by: deadline)
        } catch let fault as PeerFault {
            throw NoInstance(description: fault.description)
        } catch let error as SocketError {
            throw NoInstance(description: "\(error)")
        }
    }
}
