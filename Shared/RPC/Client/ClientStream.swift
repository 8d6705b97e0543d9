import NIOCore

/// The items of a stream, between the connection and their consumer. Lives on the event loop.
final class ClientStream {
    typealias Taker = UnsafeContinuation<Result<Payload?, RPCError>, Never>

    /// An item. While it waits for its attachments, later items wait too.
    private final class Slot {
        var item: Payload?
    }

    private let window: Int

    /// Counts the bytes of the items that wait for their reader. Of this stream alone.
    private let budget: AssemblyBudget
    private var slots = CircularBuffer<Slot>()
    private var outcome: Result<Void, RPCError>?
    private var taker: Taker?

    /// How many more items the server may send, and how many were taken since the last grant.
    private(set) var granted: Int
    private var taken = 0

    /// Grants the server more items.
    var grant: (Int) -> Void = { _ in }

    /// Cancels the stream at the server: its items are too many bytes.
    var overflow: (RPCError) -> Void = { _ in }

    /// - Parameter budget: of this stream alone.
    init(window: Int, budget: AssemblyBudget) {
        self.window = window
        self.budget = budget
        granted = window
        budget.end = { [weak self] error in
            guard let self else { return }
            removeSlots(from: slots.startIndex)
            outcome = .failure(error)
            overflow(error)
            serve()
        }
    }

    /// Reserves the position of an item that has arrived; its attachments may be incomplete.
    /// - Returns: a function to call with the item once its attachments are complete; nil if the server sent more
    /// items than were granted.
    func receive(_ item: Payload?) -> ((Payload) -> Void)? {
        guard granted > 0 else { return nil }
        granted -= 1
        let slot = Slot()
        slots.append(slot)
        if let item { fill(slot, item) }
        return { [weak self] item in
            // The stream may have ended meanwhile.
            if let self, slots.contains(where: { $0 === slot }) { fill(slot, item) }
        }
    }

    private func fill(_ slot: Slot, _ item: Payload) {
        slot.item = item
        budget.hold(item.heldBytes)
        serve()
    }

    func end(_ outcome: Result<Void, RPCError>) {
        self.outcome = self.outcome ?? outcome
        // Attachments that are missing will not arrive any more.
        if let cut = slots.firstIndex(where: { $0.item == nil }) { removeSlots(from: cut) }
        serve()
    }

    /// Drops the items that wait, because their reader has left.
    func abandon() { removeSlots(from: slots.startIndex) }

    private func removeSlots(from start: CircularBuffer<Slot>.Index) {
        budget.hold(-slots[start...].reduce(0) { $0 + ($1.item?.heldBytes ?? 0) })
        slots.removeSubrange(start...)
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
            budget.hold(-item.heldBytes)
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
