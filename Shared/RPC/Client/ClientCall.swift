import JSON
import NIOCore
import Synchronization

/// A call of a client that has not ended.
///
/// `@unchecked Sendable`: its caller makes it and hands it to the event loop. From then on the event loop alone reads and
/// writes what is variable; other threads use only constants and the atomic `isCancelled`.
final class ClientCall: @unchecked Sendable {
    typealias Outcome = Result<Payload, RPCError>

    /// Takes the outcome.
    enum Caller {
        case task(UnsafeContinuation<Outcome, Never>)
        /// Called on the event loop.
        case completion((Outcome) -> Void)
        case stream(ClientStream)
    }

    enum Phase {
        /// In no queue, and not sent.
        case new
        /// Waits for a connection, or for room at the peer.
        case waiting
        /// A byte of it may have left.
        case sent
        /// Waits for the time that the peer has named when it refused the call.
        case shed
        case ended
    }

    let id: Int
    let method: String
    let options: CallOptions

    /// Whether the attachments of the answer are read in this process, so that their checksum is verified.
    let checksAttachments: Bool

    private(set) var params: Payload

    /// Set before the call begins; nil once it has ended.
    var caller: Caller?
    var phase = Phase.new

    /// Set when the caller's task is cancelled, before the event loop is told: a call that has not begun then must not
    /// begin, and any other is cancelled by the event loop.
    let isCancelled = Atomic(false)

    /// Whether a handler may have begun in an attempt whose outcome is not known, or has answered. Never reset: from then on
    /// no error of the call says `begun:false`.
    private(set) var mayHaveBegun = false

    /// The request while it is sent in several frames.
    var outgoing: OutgoingMessage?

    /// The attachments that the answer, or items, wait for.
    var incoming: [IncomingAttachments] = []

    init(
        id: Int, _ method: String, _ params: Payload, _ options: CallOptions, checksAttachments: Bool,
        for caller: Caller? = nil
    ) {
        self.id = id
        self.method = method
        self.params = params
        self.options = options
        self.checksAttachments = checksAttachments
        self.caller = caller
    }

    var deadline: NIODeadline { options.deadline }

    var stream: ClientStream? {
        guard case .stream(let stream) = caller else { return nil }
        return stream
    }

    /// A handler may have begun.
    func noteBegun() { mayHaveBegun = true }

    /// Whether it may be sent again after the peer has refused it with `begun:false`. Only a stream that has had items may
    /// not: another call is sent again only if its method allows that, or if no earlier attempt reached a handler.
    var mayFollowRefusal: Bool { stream == nil || !mayHaveBegun }

    /// Drops what it still had to send or to receive over a connection that was lost, or for an attempt that was refused.
    func forgetTransfers() {
        for incoming in incoming { incoming.forget() }
        (outgoing, incoming) = (nil, [])
    }

    func end(_ outcome: Outcome) {
        guard let caller else { return }
        phase = .ended
        self.caller = nil
        // The queues of its client may hold it longer than its caller does.
        params = Payload(.emptyObject)
        let outcome = mayHaveBegun ? outcome.mapError(\.whenBegun) : outcome
        switch caller {
        case .task(let continuation): continuation.resume(returning: outcome)
        case .completion(let completion): completion(outcome)
        case .stream(let stream): stream.end(outcome.map { _ in })
        }
    }
}
