import Glibc

/// A Unix socket that is bound and listening: one of our own, whose path nobody else can take while it is held, or one
/// that a supervisor has opened and keeps.
public final class ListeningSocket: Sendable, CustomStringConvertible {
    /// Where clients find it; nil for one that lies in no file system (an abstract one).
    public let path: SocketPath?

    /// The path; `@name` for an abstract socket.
    public let description: String

    let descriptor: Int32

    /// Nil when the socket belongs to a supervisor.
    private let file: SocketFile?

    /// - Parameter group: who may connect beside the owner; nil for nobody.
    /// - Throws: `SocketError`, without having disturbed whoever uses the path.
    public init(path: SocketPath, group: UInt32? = nil) throws(SocketError) {
        self.path = path
        description = path.description
        (file, descriptor) = try SocketFile.listen(at: path, for: group)
    }

    /// Takes over a socket that a supervisor has opened. It is used as it is: its file and its mode are the supervisor's
    /// business, at the end too, so that clients wait for a successor where they found us.
    /// - Throws: `SocketError.notAListener`, saying what the descriptor is instead.
    public init(adopting descriptor: Int32) throws(SocketError) {
        let address = try PassedDescriptor(descriptor).prepare()
        self.descriptor = descriptor
        path = address.path
        description = address.description
        file = nil
    }

    /// Takes the socket file away, if it is ours, so that new clients find nobody.
    func unlink() { file?.unlink() }

    /// Gives the path free for others. The descriptor belongs to the server that has run on this socket.
    package func release() { file?.release() }
}
