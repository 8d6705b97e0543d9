import JSON
import NIOCore

/// The answers of a batch until the last has come. Lives on the connection's event loop.
final class Batch {
    struct Member {
        let id: RequestID?
        let answer: RawJSON

        /// What the answer takes of the message, with its comma.
        var bytes: Int { answer.bytes.count + 1 }

        /// What it must have at the least: room for an error in its place.
        var reservedBytes: Int { min(bytes, Batch.bytesOfError) }
    }

    /// The error that replaces an answer is no larger, even with the longest id.
    private static let bytesOfError = 768

    /// Of the message, beside its members: two, less the comma that the last member has not.
    static let bytesOfBrackets = 1

    private var members: [Member?]
    private var pending: Int

    /// Until when its caller waits: as long as for the call with the most time. Nil where no call has begun.
    var deadline: NIODeadline?

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
