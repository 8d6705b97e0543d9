import Glibc
import RPC

extension Store {
    /// The size of the file and of its write-ahead log, for `rpc.stats`; a file that is not there has none.
    /// - Parameter name: begins the names of the numbers.
    public func measures(as name: String = "store") -> Measures {
        let sizes = ["\(name)_bytes": Self.size(of: path), "\(name)_wal_bytes": Self.size(of: path + "-wal")]
        return Measures(gauges: sizes.compactMapValues(\.self))
    }

    private static func size(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}
