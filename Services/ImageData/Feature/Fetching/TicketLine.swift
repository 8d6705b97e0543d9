/// A FIFO queue whose elements can also be removed by ticket.
struct TicketLine: Sendable {
    private var urls: [Int: String] = [:]

    /// The range of tickets that may still be in the queue.
    private var tickets = 0..<0

    var count: Int { urls.count }

    /// - Returns: the ticket that removes the element.
    mutating func join(_ url: String) -> Int {
        let ticket = tickets.upperBound
        tickets = tickets.lowerBound..<ticket + 1
        urls[ticket] = url
        return ticket
    }

    mutating func leave(_ ticket: Int) { urls[ticket] = nil }

    mutating func popFirst() -> String? {
        while let ticket = tickets.popFirst() {
            if let url = urls.removeValue(forKey: ticket) { return url }
        }
        return nil
    }
}
