import NIOCore
import NIOConcurrencyHelpers

/// The channel on which a server accepts connections. It is replaced when the socket file has to be created again;
/// accepted connections continue.
final class Listener: Sendable {
    private enum State {
        case open(any Channel)
        case closed
    }

    private let state: NIOLockedValueBox<State>

    init(_ channel: any Channel) { state = NIOLockedValueBox(.open(channel)) }

    /// False after a system error has closed the channel.
    var isListening: Bool {
        state.withLockedValue { state in
            guard case .open(let channel) = state else { return true }
            return channel.isActive
        }
    }

    /// Replaces the channel. After `close`, the new channel is closed as well.
    func replace(with channel: any Channel) {
        let obsolete = state.withLockedValue { state -> any Channel in
            guard case .open(let before) = state else { return channel }
            state = .open(channel)
            return before
        }
        obsolete.close(promise: nil)
    }

    func close() {
        let channel = state.withLockedValue { state -> (any Channel)? in
            defer { state = .closed }
            guard case .open(let channel) = state else { return nil }
            return channel
        }
        channel?.close(promise: nil)
    }
}
