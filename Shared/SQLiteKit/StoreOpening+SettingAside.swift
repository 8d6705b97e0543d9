import Foundation

extension StoreOpening {
    /// Renames a store that cannot be read to `PATH.corrupt-TIME`, its journal with it, so that a new one can begin in its
    /// place. Nobody may have it open. Nothing is deleted or overwritten.
    /// - Returns: the new name.
    public static func setAside(_ path: String, now: Date) throws -> String {
        let name = "\(path).corrupt-\(time(now))"
        let target =
            (1...).lazy.map { $0 == 1 ? name : "\(name)-\($0)" }
            .first { !FileManager.default.fileExists(atPath: $0) } ?? name
        // The database first: SQLite throws away a log that has no database, and never applies it to a new one.
        try FileManager.default.moveItem(atPath: path, toPath: target)
        for suffix in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.moveItem(atPath: path + suffix, toPath: target + suffix)
        }
        return target
    }

    /// `20260131T235959Z`
    private static func time(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
    }
}
