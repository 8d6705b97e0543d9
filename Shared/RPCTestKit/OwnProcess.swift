import Foundation

/// Prepares the process of an exit test. Must be called first in the test's body.
///
/// The process inherits connections of the tests that run beside it. It closes them, because their peers would not notice that
/// they were closed. It is terminated after four minutes, because the runner waits for it without a limit.
public func beginOwnProcess() {
    alarm(240)
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") else { return }
    for descriptor in names.compactMap({ Int32($0) }) where descriptor > STDERR_FILENO && isSocket(descriptor) {
        close(descriptor)
    }
}

private func isSocket(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
}
