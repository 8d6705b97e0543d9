import JSON
import NIOCore
import Synchronization

/// A call made by a client.
///
/// `@unchecked Sendable`: its caller makes it and passes it to the event loop. From then on only the event loop
/// accesses its mutable state; other threads use only constants and the atomic `isCancelled`.
final class ClientCall: @unchecked Sendable {
    typealias Outcome = Result<Payload, RPCError>

    /// Receives the outcome.
    enum Caller {
        case task(UnsafeContinuation<Outcome, Never>)
        /// Called on the event loop.
        case completion((Outcome) -> Void)
        case stream(ClientStream)
    }

    enum Phase {
        /// In no queue, and not sent.
        case new
        /// Queued until there is a connection and the peer can take one more call.
        case waiting
        /// Some of its bytes may have been sent.
        case sent
        /// Refused by the peer; waits for the retry time that the peer named.
        case shed
        case ended
    }

    let id: Int
    let method: String
    let options: CallOptions

    /// Whether this process reads the answer's attachments and so verifies their checksums. False when forwarding.
    let checksAttachments: Bool

    private(set) var params: Payload

    /// Set before the call begins; nil once it has ended.
    var caller: Caller?
    var phase = Phase.new

    /// Set when the call begins.
    var deadline = NIODeadline.distantFuture

    /// Set when the caller's task is cancelled, before the event loop is told. A call that has not begun must not begin
    /// then; the event loop cancels any other.
    let isCancelled = Atomic(false)

    /// Whether a handler may have begun in an attempt with an unknown outcome, or has answered. Never reset: once it is
    /// set, no error of the call says `begun:false`.
    private(set) var mayHaveBegun = false

    /// The request, while it is sent in several frames.
    var outgoing: OutgoingMessage?

    /// Attachments of the answer or of items that have not arrived completely.
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

    var stream: ClientStream? {
        guard case .stream(let stream) = caller else { return nil }
        return stream
    }

    /// Records that a handler may have begun.
    func noteBegun() { mayHaveBegun = true }

    /// Whether the call may be sent again after the peer refused it with `begun:false`. False only for a stream that
    /// has received items: any other call is sent again only if its method allows that or no earlier attempt reached a
    /// handler.
    var mayFollowRefusal: Bool { stream == nil || !mayHaveBegun }

    /// Drops unfinished transfers, after the connection was lost or the peer refused the attempt.
    func forgetTransfers() {
        for incoming in incoming { incoming.forget() }
        (outgoing, incoming) = (nil, [])
    }

    func end(_ outcome: Outcome) {
        guard let caller else { return }
        phase = .ended
        self.caller = nil
        // The client's queues may retain the call longer than its caller does.
        params = Payload(.emptyObject)
        let outcome = mayHaveBegun ? outcome.mapError(\.whenBegun) : outcome
        switch caller {
        case .task(let continuation): continuation.resume(returning: outcome)
        case .completion(let completion): completion(outcome)
        case .stream(let stream): stream.end(outcome.map { _ in })
        }
    }
}
