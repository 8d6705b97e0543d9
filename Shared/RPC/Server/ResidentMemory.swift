import Glibc

/// Reads the memory of this process from `/proc`, for `rpc.stats`.
enum ResidentMemory {
    /// The resident memory of this process in bytes; nil when the system does not report it.
    static func bytes() -> Int? {
        guard let file = fopen("/proc/self/statm", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        // In pages: the total size, then the resident size.
        let fields = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
            separator: " ")
        return fields.dropFirst().first.flatMap { Int($0) }.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
    }
}
