import Testing

@testable import RPC

@Suite struct LazyQueueTests {
    private final class Element {
        let number: Int
        var hasLeft = false

        init(_ number: Int) { self.number = number }
    }

    private var queue = LazyQueue<Element> { $0.hasLeft }

    @Test(arguments: [1, 2, 3, 10]) mutating func `elements are in order, without those that have left`(
        leavingEvery step: Int
    ) {
        let elements = (0..<1_000).map(Element.init)
        for element in elements { queue.append(element) }
        for element in elements where element.number.isMultiple(of: step) {
            element.hasLeft = true
            queue.noteLeft()
        }
        let remaining = (0..<1_000).filter { !$0.isMultiple(of: step) }
        #expect(queue.count == remaining.count && queue.isEmpty == remaining.isEmpty)
        #expect(queue.first?.number == remaining.first)
        var order: [Int] = []
        while let element = queue.popFirst() { order.append(element.number) }
        #expect(order == remaining && queue.isEmpty)
    }

    @Test mutating func `elements that have left are released while the first waits`() {
        queue.append(Element(0))
        weak var last: Element?
        for number in 1...10_000 {
            let element = Element(number)
            queue.append(element)
            if number == 5_000 { last = element }
            element.hasLeft = true
            queue.noteLeft()
        }
        #expect(last == nil && queue.count == 1 && queue.first?.number == 0)
        #expect(queue.removeAll().map(\.number) == [0] && queue.isEmpty)
    }
}
