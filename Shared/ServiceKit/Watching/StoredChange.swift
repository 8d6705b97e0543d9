import Foundation
import JSON
import RPC

/// A row of the table in which a store remembers its changes. A write and its change are one transaction, so watchers continue where they
/// were after any restart.
///
/// Each change has a random tag, which its mark names. After a store was restored from a copy, new changes get the numbers of lost ones,
/// but not their tags: watchers that have seen the lost ones get a reset.
public struct StoredChange: Sendable {
    /// The number of changes in the table, and at most `trimmingPeriod` more; the oldest leave first.
    public static let maximumCount = 100_000

    /// The size of the changes in the table, in bytes, and at most `trimmingPeriod` × `largeChange` more. The latest change always
    /// remains.
    public static let maximumBytes = 64 << 20

    /// The table is trimmed after so many changes, or after one with more than `largeChange` bytes.
    public static let trimmingPeriod: Int64 = 64
    public static let largeChange = 64 << 10

    /// The maximum size of a change that is sent, in bytes: an event is one message.
    public static let maximumSent = Limits().frameBytes - 1_024

    /// The size of a tag, in bytes.
    public static let tagBytes = 8

    public let mark: ChangeMark
    private let content: Data

    /// - Parameter content: the change as JSON.
    public init(number: Int, tag: Data, content: Data) {
        mark = ChangeMark(
            life: tag.hexadecimal, number: number)
        self.content = content
    }

    /// The event after a mark; see `ChangeLog`. A change that cannot be decoded or sent gets a reset, as one that is missing.
    /// - Parameters:
    ///   - find: the change with a number, if the table has it.
    ///   - last: the mark of the last change.
    ///   - report: receives one line about a change that cannot be sent.
    public static func news<Change>(
        after mark: ChangeMark?, find: (Int) throws -> StoredChange?, last: () throws -> ChangeMark,
        report: (String) -> Void, read: (RawJSON) throws(JSONError) -> Change
    ) throws -> ChangeNews<Change>? {
        guard let mark, try find(mark.number)?.mark == mark else { return ChangeNews(.reset, mark: try last()) }
        guard let next = try find(mark.number + 1) else { return nil }
        do throws(JSONError) {
            guard next.content.count <= maximumSent else { throw .refused("it is too large for a message") }
            return ChangeNews(.change(try read(RawJSON(checking: next.content))), mark: next.mark)
        } catch {
            report("change \(next.mark.number) cannot be sent (\(error)): its watchers get a reset")
        }
        return ChangeNews(.reset, mark: try last())
    }
}
