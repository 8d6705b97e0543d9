import JSON
import NIOCore

/// A stream on the server side. Lives on the connection's event loop.
final class ServerStream {
    struct PendingItem: Sendable {
        let cancellation: CancellationFlag
        let write: @Sendable (inout JSONWriter) -> Void
        let continuation: UnsafeContinuation<Result<Void, any Error>, Never>
    }

    private let id: RequestID
    private unowned let connection: ServerConnection
    private let takesAttachments: Bool

    /// How many more items the caller accepts.
    private var granted: Int
    private var pending = CircularBuffer<PendingItem>()

    /// An item that takes several frames; later items and the end of the stream wait for it.
    private var current: (message: OutgoingMessage, item: PendingItem?)?
    private var isWaitingForRoom = false
    private var isOver = false

    /// How many items were sent.
    private(set) var items = 0

    init(_ id: RequestID, on connection: ServerConnection, takesAttachments: Bool, window: Int) {
        self.id = id
        self.connection = connection
        self.takesAttachments = takesAttachments
        granted = window
    }

    func send(_ item: PendingItem) {
        guard !isOver, !item.cancellation.isRaised else {
            return item.continuation.resume(returning: .failure(CancellationError()))
        }
        pending.append(item)
        sendPending()
    }

    /// Resumes the sender of an item that waits. An item that is being sent continues.
    func cancel(_ cancellation: CancellationFlag) {
        if let current, current.item?.cancellation === cancellation {
            self.current = (current.message, nil)
            current.item?.continuation.resume(returning: .failure(CancellationError()))
        } else if let index = pending.firstIndex(where: { $0.cancellation === cancellation }) {
            pending.remove(at: index).continuation.resume(returning: .failure(CancellationError()))
        }
    }

    /// - Returns: false when the total would exceed the largest window.
    func grant(_ items: Int) -> Bool {
        guard granted + items <= Limits.streamWindows.upperBound else { return false }
        granted += items
        sendPending()
        return true
    }

    /// Ends the stream; waiting senders resume.
    func end() {
        guard !isOver else { return }
        isOver = true
        if let current { connection.writer.giveUp(current.message, because: .cancelled) }
        let pending = pending
        self.pending = []
        for item in pending { item.continuation.resume(returning: .failure(CancellationError())) }
    }

    private func sendPending() {
        while !isOver, current == nil, granted > 0, !pending.isEmpty {
            guard connection.hasRoom else { return waitForRoom() }
            let item = pending.removeFirst()
            do throws(RPCError) {
                let message = try connection.sendItem(of: id, takesAttachments: takesAttachments, item.write)
                granted -= 1
                items += 1
                if let message {
                    wait(for: message, of: item)
                } else {
                    item.continuation.resume(returning: .success(()))
                }
            } catch {
                item.continuation.resume(returning: .failure(error))
            }
        }
    }

    private func waitForRoom() {
        guard !isWaitingForRoom else { return }
        isWaitingForRoom = true
        connection.whenRoom { [weak self] in
            self?.isWaitingForRoom = false
            self?.sendPending()
        }
    }

    private func wait(for message: OutgoingMessage, of item: PendingItem) {
        current = (message, item)
        message.whenOver = { [weak self] _ in
            guard let self else { return item.continuation.resume(returning: .success(())) }
            let item = current?.item
            current = nil
            item?.continuation.resume(returning: .success(()))
            sendPending()
        }
    }
}

/// The sending side of a stream, for a handler.
public struct ItemSink<Item: Sendable>: Sendable {
    private let stream: NIOLoopBound<ServerStream>
    private let codec: Codec<Item>

    /// Sends an item; waits until the caller has granted it.
    /// - Throws: `CancellationError` when the task is cancelled or the stream has ended, `too_large`.
    public func send(_ item: Item) async throws {
        let codec = codec
        let cancellation = CancellationFlag()
        let outcome: Result<Void, any Error> = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let pending = ServerStream.PendingItem(
                    cancellation: cancellation, write: { codec.write(item, &$0) }, continuation: continuation)
                stream.onLoop { $0.send(pending) }
            }
        } onCancel: {
            cancellation.raise()
            stream.onLoop { $0.cancel(cancellation) }
        }
        try outcome.get()
    }

    /// The same stream for items of another type.
    func of<Other>(_ codec: Codec<Other>) -> ItemSink<Other> {
        ItemSink<Other>(stream: stream, codec: codec)
    }
}

extension ItemSink<Payload> {
    init(_ stream: ServerStream, on loop: any EventLoop) {
        self.init(stream: NIOLoopBound(stream, eventLoop: loop), codec: .payload)
    }
}
