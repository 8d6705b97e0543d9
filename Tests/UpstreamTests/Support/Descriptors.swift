import Foundation

/// What this process has open.
enum Descriptors {
    /// TCP sockets that are connected, or connecting, to a port of 127.0.0.1.
    static func count(of port: Int) -> Int {
        let remote = String(format: "0100007F:%04X", port)
        let table = (try? String(contentsOfFile: "/proc/self/net/tcp", encoding: .utf8)) ?? ""
        return table.split(separator: "\n").filter { line in
            let columns = line.split(separator: " ")
            // Closed by us and waiting for the other end to know: 04 to 0B, but for 08 (closed by the other end).
            return columns.count > 3 && columns[2] == remote && ["01", "02", "08"].contains(columns[3])
        }.count
    }
}
