import Foundation

extension Terminal {
    /// The terminal of this process, in its current state.
    static func live() -> Terminal {
        let terminals = Stream.allCases.filter { isatty($0.descriptor) == 1 }
        return Terminal(
            terminals: Set(terminals),
            windowColumns: terminals.lazy.compactMap { windowColumns(of: $0.descriptor) }.first,
            environment: ProcessInfo.processInfo.environment)
    }

    private static func windowColumns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
        return Int(size.ws_col)
    }
}

extension Terminal.Stream {
    fileprivate var descriptor: Int32 {
        switch self {
        case .input: STDIN_FILENO
        case .output: STDOUT_FILENO
        case .error: STDERR_FILENO
        }
    }
}
