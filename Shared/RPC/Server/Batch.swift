import JSON
import NIOCore

/// Collects the answers of a batch until all are complete. Lives on the connection's event loop.
final class Batch {
    struct Member {
        let id: RequestID?
        let answer: RawJSON

        /// The length of the answer in the message, with its comma.
        var bytes: Int { answer.bytes.count + 1 }

        /// The minimum to reserve for it: the answer, or the error that may replace it.
        var reservedBytes: Int { min(bytes, Batch.bytesOfError) }
    }

    /// The maximum length of an error that replaces an answer, even with the longest id.
    private static let bytesOfError = 768

    /// The brackets of the message, less the comma that the last member does not have.
    private static let bytesOfBrackets = 1

    private var members: [Member?]
    private var pending: Int

    /// The maximum bytes of the message.
    private let limit: Int

    /// The bytes of the answers so far.
    private(set) var bytes = 0

    /// The latest deadline of its calls; nil if no call has begun.
    var deadline: NIODeadline?

    /// - Parameter count: how many calls will answer.
    init(count: Int, limit: Int) {
        members = Array(repeating: nil, count: count)
        pending = count
        self.limit = limit
    }

    /// Adds an answer. If the answers do not fit into one message, the last ones are replaced by errors at once.
    /// - Parameter replacement: makes the error for an answer that does not fit.
    /// - Returns: all answers in the order of their requests, once they are complete; nil before.
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
