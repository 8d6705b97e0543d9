import JSON
import NIOCore

/// The items of a stream, for one task that takes them in sequence. Taking items grants the server more.
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

    /// The next item; nil when the stream has ended without an error.
    /// - Throws: the error that ended the stream.
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
            return try await item.readBeside(as: codec)
        } catch {
            cancel()
            throw RPCError(invalidResult: error)
        }
    }
}
