import Foundation
import GRDB
import ServiceKit

/// A store of a service, as its modes of maintenance see it.
public struct VerifiedStore: Sendable {
    let opening: StoreOpening
    let path: String
    private let content: Content

    /// Examines what only the schema knows.
    /// - Parameters:
    ///   - store: the store in use; on repair a writer.
    ///   - report: receives each finding.
    public typealias Content =
        @Sendable (_ store: Access, _ report: (StoreFinding) throws -> Void) throws -> Void

    public init(_ opening: StoreOpening, at path: String, content: @escaping Content = { _, _ in }) {
        (self.opening, self.path, self.content) = (opening, path, content)
    }

    func listed(in root: Root) -> VerifiedStore { VerifiedStore(opening.listed(in: root), at: path, content: content) }

    /// An open store.
    public struct Access {
        public let path: String
        public let reader: any DatabaseReader

        /// Set on repair.
        public let writer: (any DatabaseWriter)?
    }

    /// The maximum number of faults that SQLite reports for a file.
    private static let maximumFaults = 100

    /// Examines the whole store. Without repair nothing changes, and services may use the store meanwhile.
    /// - Parameter isRepair: sets the damaged file of a cache aside, so that its service begins with an empty one, and repairs what the
    ///   content is asked to. Damaged files of an authority remain.
    func verify(isRepair: Bool, now: Date, report: (StoreFinding) throws -> Void) throws {
        func fault(_ reason: String, repair: String? = nil) throws {
            let remedy = opening.isCache ? "" : "; restore a backup"
            try report(.fault(StoreFinding.Fault(store: path, reason: reason + remedy, repair: repair)))
        }
        do {
            _ = try opening.examine(path)
            guard StoreFiles.inode(path) != nil else { return }
            var configuration = opening.configuration
            configuration.readonly = true
            let reader = try DatabaseQueue(path: path, configuration: configuration)
            let faults = try reader.read(Self.faults)
            guard faults.isEmpty else {
                try reader.close()
                let repair = isRepair && opening.isCache ? try setAside(now) : nil
                for reason in faults { try fault(reason, repair: repair) }
                return
            }
            let writer = isRepair ? try DatabaseQueue(path: path, configuration: opening.configuration) : nil
            try content(Access(path: path, reader: reader, writer: writer), report)
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            try fault(
                error.message ?? "\(error.resultCode)", repair: isRepair && opening.isCache ? try setAside(now) : nil)
        } catch let error as DatabaseError {
            try fault(StoreUnusable.Reason(error).text)
        } catch let reason as StoreUnusable.Reason {
            // The service makes a cache again.
            guard reason != .missing || !opening.isCache else { return }
            try fault(reason.text)
        }
    }

    private static func faults(_ db: Database) throws -> [String] {
        let findings = try String.fetchAll(db, sql: "PRAGMA integrity_check(\(maximumFaults))")
        let dangling = try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").prefix(maximumFaults).map { row in
            "a row of \(row[0] as String) names one of \(row[2] as String) that is not there"
        }
        return (findings == ["ok"] ? [] : findings) + dangling
    }

    private func setAside(_ now: Date) throws -> String {
        "renamed to \(try StoreOpening.setAside(path, now: now)); an empty one replaces it"
    }
}
