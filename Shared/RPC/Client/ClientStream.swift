import NIOCore

/// The items of a stream, between the connection and their consumer. Lives on the event loop.
final class ClientStream {
    typealias Taker = UnsafeContinuation<Result<Payload?, RPCError>, Never>

    /// An item. While it waits for its attachments, later items wait too.
    private final class Slot {
        var item: Payload?

        init(_ item: Payload?) { self.item = item }
    }

    private let window: Int
    private var slots = CircularBuffer<Slot>()
    private var outcome: Result<Void, RPCError>?
    private var taker: Taker?

    /// How many more items the server may send, and how many were taken since the last grant.
    private(set) var granted: Int
    private var taken = 0

    /// Grants the server more items.
    var grant: (Int) -> Void = { _ in }

    init(window: Int) {
        self.window = window
        granted = window
    }

    /// Reserves the position of an item that has arrived; its attachments may be incomplete.
    /// - Returns: a function to call with the item once its attachments are complete; nil if the server sent more
    /// items than were granted.
    func receive(_ item: Payload?) -> ((Payload) -> Void)? {
        guard granted > 0 else { return nil }
        granted -= 1
        let slot = Slot(item)
        slots.append(slot)
        serve()
        return { [weak self] item in
            slot.item = item
            self?.serve()
        }
    }

    func end(_ outcome: Result<Void, RPCError>) {
        self.outcome = self.outcome ?? outcome
        // Attachments that are missing will not arrive any more.
        if let cut = slots.firstIndex(where: { $0.item == nil }) { slots.removeSubrange(cut...) }
        serve()
    }

    var isOver: Bool { outcome != nil }

    /// Takes the next item. Only one caller may wait at a time.
    func next(_ taker: Taker) {
        precondition(self.taker == nil, "the items of a stream are taken one after the other")
        self.taker = taker
        serve()
    }

    private func serve() {
        guard let taker else { return }
        if let item = slots.first?.item {
            slots.removeFirst()
            self.taker = nil
            taken += 1
            if taken * 2 >= window, outcome == nil {
                granted += taken
                grant(taken)
                taken = 0
            }
            taker.resume(returning: .success(item))
        } else if slots.isEmpty, let outcome {
            self.taker = nil
            taker.resume(returning: outcome.map { nil })
        }
    }
}
