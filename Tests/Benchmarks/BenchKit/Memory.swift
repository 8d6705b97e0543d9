import Foundation

/// The memory of a process in kilobytes (`/proc/PID/smaps_rollup`).
package struct Memory {
    /// All resident pages, including shared ones.
    package let resident: Int
    /// All resident pages; shared ones count in proportion.
    package let proportional: Int
    /// Private modified pages.
    package let privateDirty: Int
    /// File pages, mostly of the program, that no other process maps. The system can drop them.
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
