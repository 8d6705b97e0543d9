import JSON
import NIOCore

/// The items of a stream as they come, for one task to take one after the other. Taking them is what lets more come.
public struct ItemStream<Item: Sendable>: AsyncSequence, AsyncIteratorProtocol, Sendable {
    private let stream: NIOLoopBound<ClientStream>
    private let codec: Codec<Item>
    private let cancel: @Sendable () -> Void

    init(_ stream: NIOLoopBound<ClientStream>, of codec: Codec<Item>, cancel: @escaping @Sendable () -> Void) {
        self.stream = stream
        self.codec = codec
        self.cancel = cancel
    }

    public func makeAsyncIterator() -> ItemStream { self }

    /// The next item; nil when the stream has ended well.
    /// - Throws: why it ended otherwise.
    public mutating func next() async throws(RPCError) -> Item? { try await next(isolation: #isolation) }

    public mutating func next(isolation: isolated (any Actor)?) async throws(RPCError) -> Item? {
        let (stream, cancel) = (stream, cancel)
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { (taker: ClientStream.Taker) in
                stream.onLoop { $0.next(taker) }
            }
        } onCancel: {
            cancel()
        }
        guard let item = try outcome.get() else { return nil }
        do throws(JSONError) {
            return try item.read(as: codec)
        } catch {
            cancel()
            throw RPCError(invalidResult: error)
        }
    }
}
