import NIOCore

/// First come, first served, for those who may also leave before their turn: leaving costs the same however many wait.
struct WaitingLine<ID: Hashable, Element> {
    private var elements: [ID: Element] = [:]

    /// Who came when; those who have left since are passed over.
    private var order = CircularBuffer<ID>()

    /// How many who have left may stand there, beside as many as wait.
    private static var passedOver: Int { 64 }

    var count: Int { elements.count }
    var isEmpty: Bool { elements.isEmpty }

    subscript(id: ID) -> Element? { elements[id] }

    func contains(_ id: ID) -> Bool { elements[id] != nil }

    /// Those who wait, in no order.
    var all: some Sequence<(key: ID, value: Element)> { elements }

    /// Whose turn it is.
    var first: Element? {
        mutating get {
            while let id = order.first {
                if let element = elements[id] { return element }
                order.removeFirst()
            }
            return nil
        }
    }

    /// - Parameter id: of nobody who waits already, nor of anybody who has left and may still be passed over.
    mutating func append(_ element: Element, id: ID) {
        if order.count > 2 * elements.count + Self.passedOver { order.removeAll { elements[$0] == nil } }
        elements[id] = element
        order.append(id)
    }

    mutating func popFirst() -> Element? {
        while let id = order.popFirst() {
            if let element = elements.removeValue(forKey: id) { return element }
        }
        return nil
    }

    @discardableResult
    mutating func remove(_ id: ID) -> Element? { elements.removeValue(forKey: id) }

    mutating func removeAll() { self = WaitingLine() }
}
