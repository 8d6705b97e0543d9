import NIOCore

/// A FIFO queue whose elements may also leave before their turn. Leaving takes constant time: the element stays until
/// it reaches the front, or until such elements outnumber the others.
struct LazyQueue<Element> {
    private var elements = CircularBuffer<Element>()
    private let hasLeft: (Element) -> Bool

    /// The number of elements that have left but are still stored, and how many of these never cause a cleanup.
    private var left = 0
    private static var spare: Int { 64 }

    init(hasLeft: @escaping (Element) -> Bool) { self.hasLeft = hasLeft }

    var count: Int { elements.count - left }
    var isEmpty: Bool { count == 0 }

    var first: Element? {
        mutating get {
            while let first = elements.first {
                guard hasLeft(first) else { return first }
                elements.removeFirst()
                left -= 1
            }
            return nil
        }
    }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard first != nil else { return nil }
        return elements.popFirst()
    }

    /// Records that one more element has left.
    mutating func noteLeft() {
        left += 1
        guard left > Self.spare, 2 * left > elements.count else { return }
        elements.removeAll(where: hasLeft)
        left = 0
    }

    mutating func removeAll() -> [Element] {
        defer { (elements, left) = ([], 0) }
        return elements.filter { !hasLeft($0) }
    }
}
