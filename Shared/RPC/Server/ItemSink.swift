import JSON
import NIOCore

/// Where the items of a stream go.
public struct ItemSink<Item: Sendable>: Sendable {
    private let stream: NIOLoopBound<ServerStream>
    private let codec: Codec<Item>

    /// Sends an item; returns when the caller has granted room for it.
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
