import Foundation
import Processes
import Synchronization

/// Buffers results until they are longer than the screen, and then writes them to a pager.
final class Pager: Sendable {
    private enum State {
        case holding([UInt8])
        case running(ChildProcess, input: Int32)
        /// Without a pager: results appear at once.
        case direct
    }

    private let state: Mutex<State>
    private let size: ScreenSize
    private let command: String
    private let environment: [String: String]

    /// - Returns: nil when the user has no pager, or the size of the screen is unknown.
    convenience init?(on terminal: Terminal, size: ScreenSize?) {
        let environment = ProcessInfo.processInfo.environment
        guard let size, let command = Self.command(environment) else { return nil }
        self.init(command, environment: environment, size: size)
    }

    private init(_ command: String, environment: [String: String], size: ScreenSize) {
        (self.command, self.environment, self.size) = (command, environment, size)
        state = Mutex(.holding([]))
    }

    /// The shell command of the pager: that of `PAGER`, otherwise less if it is installed; nil for none.
    static func command(
        _ environment: [String: String],
        isInstalled: (String) -> Bool = { FileManager.default.isExecutableFile(atPath: $0) }
    ) -> String? {
        if let command = environment["PAGER"] { return ["", "cat"].contains(command) ? nil : command }
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        return folders.contains { isInstalled("\($0)/less") } ? "less" : nil
    }

    /// How many rows of the screen a text needs.
    static func rows(of text: String, columns: Int) -> Int {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .reduce(-1) { $0 + max(1, (DisplayWidth.of(String($1)) + columns - 1) / max(1, columns)) }
    }

    /// - Parameter put: writes bytes to a descriptor.
    func write(_ bytes: [UInt8], _ put: ([UInt8], Int32) -> Void) {
        state.withLock { state in
            switch state {
            case .direct: put(bytes, STDOUT_FILENO)
            case .running(_, let input): put(bytes, input)
            case .holding(let held):
                let all = held + bytes
                // The last row is for the prompt.
                guard Self.rows(of: String(decoding: all, as: UTF8.self), columns: size.columns) >= size.rows else {
                    state = .holding(all)
                    return
                }
                guard let (process, input) = start() else {
                    put(all, STDOUT_FILENO)
                    state = .direct
                    return
                }
                state = .running(process, input: input)
                put(all, input)
            }
        }
    }

    /// Writes the buffered results, or waits until the user has left the pager. Later results appear at once.
    func finish(_ put: ([UInt8], Int32) -> Void) {
        state.withLock { state in
            switch state {
            case .direct: break
            case .holding(let held): put(held, STDOUT_FILENO)
            case .running(let process, let input):
                close(input)
                _ = process.end()
            }
            state = .direct
        }
    }

    private func start() -> (ChildProcess, input: Int32)? {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        // R: with colours. X: leave the text on the screen.
        let environment = ["LESS": "RX"].merging(environment) { $1 }
        do {
            let process = try ChildProcess.start(
                ["/bin/sh", "-c", command], environment: environment, files: [ends[0], STDOUT_FILENO, STDERR_FILENO])
            // Ctrl-C is a key of the pager, which shares the terminal.
            signal(SIGINT, SIG_IGN)
            return (process, ends[1])
        } catch {
            // Without a shell, the caller prints the results directly.
            close(ends[1])
            return nil
        }
    }
}
