import Foundation
import Synchronization

private let last = Mutex(UInt16(10_000) + UInt16(getpid() % 1_000) * 20)

/// A free port of 127.0.0.1 for a program that restarts at the same port. No other process gets it meanwhile, because it is below the
/// range from which the system chooses ports.
func lastingPort() throws -> Int {
    try last.withLock { port in
        while true {
            port += 1
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let status = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if status == 0 { return Int(port) }
        }
    }
}
