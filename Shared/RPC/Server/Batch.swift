/// The answers of a batch until the last has come. Lives on the connection's event loop.
final class Batch {
    struct Member {
        let id: RequestID?
        let answer: RawJSON
    }

    /// What every member can have of the message that carries the batch: room for an error, at the least.
    static let bytesKeptPerMember = 512

    private var members: [Member?]
    private var pending: Int

    /// - Parameter count: how many calls will answer.
    init(count: Int) {
        members = Array(repeating: nil, count: count)
        pending = count
    }

    /// - Returns: all answers in the order of their requests, once the last is there.
    func add(_ member: Member, at slot: Int) -> [Member]? {
        precondition(members[slot] == nil, "a member of a batch was answered twice")
        members[slot] = member
        pending -= 1
        return pending == 0 ? members.compactMap(\.self) : nil
    }
}
