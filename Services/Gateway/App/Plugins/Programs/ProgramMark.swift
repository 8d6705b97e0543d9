import Foundation
import Glibc
import ServiceKit

/// A variable in the environment of a plugin's program and of its children: the gateway that has started them, and their process group.
///
/// When the gateway is killed, the kernel kills the programs, but not their children. The next gateway finds these by the variable.
struct ProgramMark: Equatable {
    let gateway: pid_t

    /// When the gateway has started, in clock ticks since the start of the system: later another process may have its number.
    let start: Substring

    let group: pid_t

    static let variable = "IMAGE_FEED_PLUGIN"

    /// - Returns: nil if the gateway has ended.
    init?(gateway: pid_t, group: pid_t) {
        guard let status = ProcessStatus(gateway) else { return nil }
        (self.gateway, start, self.group) = (gateway, status.start, group)
    }

    init?(_ text: Substring) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, let gateway = pid_t(words[0]), let group = pid_t(words[2]) else { return nil }
        (self.gateway, start, self.group) = (gateway, words[1], group)
    }

    var text: String { "\(gateway) \(start) \(group)" }

    private var isOrphaned: Bool { ProcessStatus(gateway)?.start != start }

    /// Kills the processes of a deployment whose gateway was killed, as it would have done at its own end.
    /// - Returns: their ids.
    static func killOrphans(of root: Root) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let space = processSpace(of: "self")
        return names.compactMap { pid_t($0) }.filter { id in
            let path = "/proc/\(id)"
            // Only of processes of the same user.
            guard let environment = FileManager.default.contents(atPath: path + "/environ"),
                let mark = ProgramMark(in: environment, of: root), ProcessStatus(id)?.group == mark.group,
                // The numbers of a container are others.
                processSpace(of: "\(id)") == space, mark.isOrphaned
            else { return false }
            return kill(id, SIGKILL) == 0
        }
    }

    private init?(in environment: Data, of root: Root) {
        let name = Data("\(Self.variable)=".utf8)
        guard environment.range(of: name) != nil else { return nil }
        let variables = environment.split(separator: 0)
        guard variables.contains(Data("ROOT=\(root.path)".utf8)),
            let variable = variables.first(where: { $0.starts(with: name) })
        else { return nil }
        self.init(String(decoding: variable.dropFirst(name.count), as: UTF8.self)[...])
    }

    private static func processSpace(of process: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/ns/pid")
    }
}

/// What the kernel says of a process.
private struct ProcessStatus {
    let group: pid_t
    let start: Substring

    /// - Returns: nil for a process that has ended. A zombie has.
    init?(_ id: pid_t) {
        // The fields after the name: state, parent, group, …, start time (proc_pid_stat(5)). The name may have parentheses.
        guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
            let fields = text.split(separator: ")").last?.split(separator: " "), fields.count > 19, fields[0] != "Z",
            let group = pid_t(fields[2])
        else { return nil }
        (self.group, start) = (group, fields[19])
    }
}
