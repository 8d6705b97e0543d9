import Foundation

/// What a process has in memory, in kilobytes (`/proc/PID/smaps_rollup`).
package struct Memory {
    /// All pages, with those that it shares with others.
    package let resident: Int
    /// Pages that are shared count in proportion.
    package let proportional: Int
    /// Pages that only this process has and that are its own.
    package let privateDirty: Int
    /// Pages of files, its program mostly, that no other process maps; the system can drop them.
    package let privateClean: Int

    package init(of process: pid_t) throws {
        let text = try String(contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8)
        func kilobytes(_ name: String) -> Int {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }
        resident = kilobytes("Rss")
        proportional = kilobytes("Pss")
        privateDirty = kilobytes("Private_Dirty")
        privateClean = kilobytes("Private_Clean")
    }
}
