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
    private static let bytesOfBrackets = 1

    private var members: [Member?]
    private var pending: Int

    /// The most bytes of the message.
    private let limit: Int

    /// What the answers take that are there.
    private(set) var bytes = 0

    /// Until when its caller waits: as long as for the call with the most time. Nil where no call has begun.
    var deadline: NIODeadline?

    /// - Parameter count: how many calls will answer.
    init(count: Int, limit: Int) {
        members = Array(repeating: nil, count: count)
        pending = count
        self.limit = limit
    }

    /// Adds an answer. Where the answers do not fit into one message, those at the end are replaced at once.
    /// - Parameter replacement: the error that says so, for an answer that does not fit.
    /// - Returns: all answers in the order of their requests, once the last is there.
    func add(_ member: Member, at slot: Int, replacement: (Member) -> RawJSON) -> [RawJSON]? {
        precondition(members[slot] == nil, "a member of a batch was answered twice")
        members[slot] = member
        bytes += member.bytes
        pending -= 1
        if bytes > limit - Self.bytesOfBrackets { dropWhatDoesNotFit(replacement) }
        return pending == 0 ? members.compactMap { $0?.answer } : nil
    }

    private func dropWhatDoesNotFit(_ replacement: (Member) -> RawJSON) {
        var room = limit - Self.bytesOfBrackets
        var reserved = members.reduce(0) { $0 + ($1?.reservedBytes ?? 0) }
        for (slot, member) in members.enumerated() {
            guard var member else { continue }
            reserved -= member.reservedBytes
            if member.bytes > Self.bytesOfError, member.bytes > room - reserved {
                bytes -= member.bytes
                member = Member(id: member.id, answer: replacement(member))
                bytes += member.bytes
                members[slot] = member
            }
            room -= member.bytes
        }
    }
}
