import Foundation
import NIOConcurrencyHelpers

/// A bound, listening Unix socket: our own, whose path is locked while it is held, or one that a supervisor opened and
/// owns.
public final class ListeningSocket: Sendable, CustomStringConvertible {
    /// The path for clients; nil for an abstract socket, which has no file.
    public let path: SocketPath?

    /// The path; `@name` for an abstract socket.
    public let description: String

    private let group: UInt32?
    private let state: NIOLockedValueBox<State>

    private struct State {
        var descriptor: Int32

        /// Nil for a supervisor's socket, and after the path was released.
        var file: SocketFile?

        /// Set when the server stops, so that the file is not created again.
        var isGivenUp = false

        var hindrance: Hindrance?
    }

    /// Why new clients cannot find the socket.
    public struct Hindrance: Sendable, Equatable {
        public let error: SocketError
        public let since: Date
    }

    /// A change to the socket's file.
    public enum Change: Sendable, Equatable {
        /// It was removed or replaced, and was created again.
        case restored
        /// It was removed or replaced and cannot be created now. Creating it is retried.
        case lost(SocketError)
    }

    /// - Parameter group: who may connect in addition to the owner; nil for no one.
    /// - Throws: `SocketError`; a process that uses the path is not affected.
    public init(path: SocketPath, group: UInt32? = nil) throws(SocketError) {
        self.path = path
        self.group = group
        description = path.description
        let (file, descriptor) = try SocketFile.listen(at: path, for: group)
        state = NIOLockedValueBox(State(descriptor: descriptor, file: file))
    }

    /// Adopts a socket that a supervisor has opened. Its file and mode stay unchanged, even at the end, so that clients
    /// of this service find its successor at the same path.
    /// - Throws: `SocketError.notAListener`, which says what the descriptor is instead.
    public init(adopting descriptor: Int32) throws(SocketError) {
        let address = try PassedDescriptor(descriptor).prepare()
        path = address.path
        group = nil
        description = address.description
        state = NIOLockedValueBox(State(descriptor: descriptor, file: nil))
    }

    var descriptor: Int32 { state.withLockedValue(\.descriptor) }

    /// Nil when new clients can find the socket.
    public var hindrance: Hindrance? { state.withLockedValue(\.hindrance) }

    /// Checks whether clients can find the socket at its path, and creates it again if not.
    /// - Parameter isListening: false when the system has closed the listening channel.
    /// - Returns: the change since the last check, and the descriptor of a new socket that replaces the previous one.
    /// - Throws: `SocketError.inUse` when another process has taken the path with its lock, so that it is lost for
    ///   good; `SocketError.lost` when a supervisor's socket does not listen, because only the supervisor can reopen
    ///   it.
    func restore(isListening: Bool = true) throws(SocketError) -> (change: Change, descriptor: Int32?)? {
        let outcome: Result<(Change, Int32?)?, SocketError> = state.withLockedValue { state in
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
        state.withLockedValue { state in
            state.isGivenUp = true
            state.file?.unlink()
        }
    }

    /// Releases the path for other processes. The server that ran on this socket owns the descriptor.
    package func release() {
        state.withLockedValue { state in
            state.file?.release()
            state.file = nil
        }
    }
}
