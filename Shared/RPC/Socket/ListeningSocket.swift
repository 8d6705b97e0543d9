import Foundation
import Synchronization

/// A Unix socket that is bound and listening: one of our own, whose path nobody else can take while it is held, or one
/// that a supervisor has opened and keeps.
public final class ListeningSocket: Sendable, CustomStringConvertible {
    /// Where clients find it; nil for one that lies in no file system (an abstract one).
    public let path: SocketPath?

    /// The path; `@name` for an abstract socket.
    public let description: String

    private let group: UInt32?
    private let state: Mutex<State>

    private struct State {
        var descriptor: Int32

        /// Nil when the socket belongs to a supervisor, and once the path was released.
        var file: SocketFile?

        /// Whether the server stops, so that the file is not to be created again.
        var isGivenUp = false

        var hindrance: Hindrance?
    }

    /// Why new clients do not find the socket.
    public struct Hindrance: Sendable, Equatable {
        public let error: SocketError
        public let since: Date
    }

    /// What became of the socket's file.
    public enum Change: Sendable, Equatable {
        /// It was removed or replaced, and is there again.
        case restored
        /// It was removed or replaced and cannot be created now. It is tried again.
        case lost(SocketError)
    }

    /// - Parameter group: who may connect beside the owner; nil for nobody.
    /// - Throws: `SocketError`, without having disturbed whoever uses the path.
    public init(path: SocketPath, group: UInt32? = nil) throws(SocketError) {
        self.path = path
        self.group = group
        description = path.description
        let (file, descriptor) = try SocketFile.listen(at: path, for: group)
        state = Mutex(State(descriptor: descriptor, file: file))
    }

    /// Takes over a socket that a supervisor has opened. It is used as it is: its file and its mode are the supervisor's
    /// business, at the end too, so that clients wait for a successor where they found us.
    /// - Throws: `SocketError.notAListener`, saying what the descriptor is instead.
    public init(adopting descriptor: Int32) throws(SocketError) {
        let address = try PassedDescriptor(descriptor).prepare()
        path = address.path
        group = nil
        description = address.description
        state = Mutex(State(descriptor: descriptor, file: nil))
    }

    var descriptor: Int32 { state.withLock(\.descriptor) }

    /// Nil when new clients find the socket.
    public var hindrance: Hindrance? { state.withLock(\.hindrance) }

    /// Looks whether clients find the socket at its path, and creates it again when they do not.
    /// - Parameter isListening: false when the system has ended the listening.
    /// - Returns: what has changed since the last time, and the descriptor of a new socket, which replaces the one before.
    /// - Throws: `SocketError.inUse` when another process has taken the path with its lock: this one has lost it for good.
    ///   `SocketError.lost` when a supervisor's socket does not listen: only the supervisor can open it again.
    func restore(isListening: Bool = true) throws(SocketError) -> (change: Change, descriptor: Int32?)? {
        let outcome: Result<(Change, Int32?)?, SocketError> = state.withLock { state in
            guard !state.isGivenUp else { return .success(nil) }
            guard let file = state.file else {
                return isListening ? .success(nil) : .failure(.lost(description))
            }
            guard !file.isInPlace || !isListening || state.hindrance != nil else { return .success(nil) }
            do throws(SocketFile.Unreplaced) {
                let (replacement, descriptor) = try file.replaced(for: group, isListening: isListening)
                (state.file, state.hindrance) = (replacement, nil)
                if let descriptor { state.descriptor = descriptor }
                return .success((.restored, descriptor))
            } catch {
                switch error {
                case .superseded(let error): return .failure(error)
                case .hindered(let error):
                    guard state.hindrance == nil else { return .success(nil) }
                    state.hindrance = Hindrance(error: error, since: Date())
                    return .success((.lost(error), nil))
                }
            }
        }
        return try outcome.get()
    }

    /// Removes the socket file if this socket created it, so that new clients cannot connect. It is not created again.
    func unlink() {
        state.withLock { state in
            state.isGivenUp = true
            state.file?.unlink()
        }
    }

    /// Gives the path free for others. The descriptor belongs to the server that has run on this socket.
    package func release() {
        state.withLock { state in
            state.file?.release()
            state.file = nil
        }
    }
}
