import GRDB
import JSON
import RPC
import ServiceKit

extension Store {
    /// The mark of the last change; see `ChangeLog`.
    public func lastChange(isolation: isolated (any Actor)? = #isolation) async throws -> ChangeMark {
        try await ifThere { try await read(ChangeTable.last) } ?? Self.absent
    }

    /// The event after a mark; see `ChangeLog`.
    /// - Parameter decode: reads a change as `ChangeTable.append` got it.
    public func news<Change>(
        after mark: ChangeMark?, isolation: isolated (any Actor)? = #isolation,
        decode: (RawJSON) throws(JSONError) -> Change
    ) async throws -> ChangeNews<Change>? {
        let news = try await ifThere {
            try await read { try ChangeTable.news(after: mark, $0, report: monitor.report, read: decode) }
        }
        if let news { return news }
        return mark == Self.absent ? nil : ChangeNews(.reset, mark: Self.absent)
    }

    /// The mark of a watcher of a cache without a store, where nothing changes. A store that is opened later answers it with a reset.
    private static let absent = ChangeMark(life: "", number: 0)

    /// Runs an operation of a cache that has an answer without a store, too.
    /// - Returns: nil for a cache without a store. A failing one throws, because what it has is not known.
    public func ifThere<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result? {
        do {
            return try await body()
        } catch is StoreError where opening.isCache && openFile == nil {
            return nil
        }
    }
}
