import Foundation
import Processes

/// Runs programs that a test needs for its preparation.
public enum Spawn {
    /// Runs a program and blocks this thread until it exits.
    /// - Parameters:
    ///   - input: the file for standard input.
    ///   - output: the file for standard output, which must exist.
    /// - Returns: the exit code; after a signal, 128 plus its number.
    public static func run(_ command: [String], input: String = "/dev/null", output: String = "/dev/null") throws
        -> Int32
    {
        let (reading, writing) = (FileHandle(forReadingAtPath: input), FileHandle(forWritingAtPath: output))
        guard let reading, let writing else { throw POSIXError(.ENOENT) }
        let files = [reading, writing, writing].map(\.fileDescriptor)
        return try ChildProcess.start(command, environment: ProcessInfo.processInfo.environment, files: files).end()
    }
}
