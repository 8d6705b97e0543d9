/// A change that watchers of a service receive: the effect of one write.
public protocol WatchedChange: Equatable, Sendable {
    /// The size of its texts or ids, in bytes.
    var weight: Int { get }
}

/// The latest changes of a service's data, in the order in which they took effect: a watcher that has received a change has received
/// all before it. Each watcher reads the log from its own mark, at its own pace.
public protocol ChangeLog<Change>: Sendable {
    associatedtype Change: WatchedChange

    /// The mark at the end of the log: only later changes follow it.
    func lastChange() async throws -> ChangeMark

    /// The event after a mark; nil when the mark is at the end of the log.
    /// - Parameter mark: the watcher's mark. Nil, a mark of another log and one that is older than the log get a reset.
    func news(after mark: ChangeMark?) async throws -> ChangeNews<Change>?
}
