import BenchKit
import Glibc

/// The limit of open files for this program and its children.
enum OpenFiles {
    /// Enough for a thousand connections with both ends.
    private static let wanted: rlim_t = 16_384

    static func allowMany() throws {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            throw Failure("getrlimit: \(errno)")
        }
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            throw Failure("setrlimit: \(errno)")
        }
    }
}
