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

    /// Takes the socket file away, if it is ours, so that new clients find nobody.
    func unlink() { file?.unlink() }

    /// Gives the path free for others. The descriptor belongs to the server that has run on this socket.
    package func release() { file?.release() }
}
