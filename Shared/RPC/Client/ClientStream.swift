import NIOCore

/// The items of a stream between the connection and who takes them. Lives on the event loop.
final class ClientStream {
    typealias Taker = UnsafeContinuation<Result<Payload?, RPCError>, Never>

    /// An item, which may still wait for its attachments: those after it wait too.
    private final class Slot {
        var item: Payload?

        init(_ item: Payload?) { self.item = item }
    }

    private let window: Int
    private var slots = CircularBuffer<Slot>()
    private var outcome: Result<Void, RPCError>?
    private var taker: Taker?

    /// How many items the server may still send, and how many were taken since the last grant.
    private var granted: Int
    private var taken = 0

    /// Tells the server that it may send more.
    var grant: (Int) -> Void = { _ in }

    init(window: Int) {
        self.window = window
        granted = window
    }

    /// An item has come.
    /// - Returns: where to put it once its attachments are there; nil when more came than was granted.
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
        // What an item was waiting for will not come any more.
        if let cut = slots.firstIndex(where: { $0.item == nil }) { slots.removeSubrange(cut...) }
        serve()
    }

    var isOver: Bool { outcome != nil }

    /// Takes the next item; one at a time.
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
