import Foundation

/// A process, told apart from a later one with the same id, which the system reuses after 32,768 processes.
struct ProcessIdentity: Hashable {
    let id: Int32

    /// In clock ticks since the start of the system.
    private let startTime: Substring

    /// Nil for a process that has ended. A zombie has.
    init?(_ id: Int32) {
        // The fields after the name: state, parent, …, start time (proc_pid_stat(5)).
        guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
            let fields = text.split(separator: ")").last?.split(separator: " "), fields.count > 19, fields[0] != "Z"
        else { return nil }
        (self.id, startTime) = (id, fields[19])
    }

    var isAlive: Bool { ProcessIdentity(id) == self }
}
