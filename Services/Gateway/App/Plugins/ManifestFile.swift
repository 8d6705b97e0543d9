import Foundation
import Glibc

/// A file that may be a manifest. Reading it never blocks, whatever it is.
struct ManifestFile {
    let path: String

    /// The largest manifest that is read.
    static let maximumBytes = 64 * 1_024

    func read() throws(ManifestRejection) -> Data {
        // Without O_NONBLOCK, opening a FIFO would wait for its writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw rejection("cannot be opened: \(Self.text(of: errno))") }
        defer { close(descriptor) }
        try check(descriptor)
        var bytes = Data(count: Self.maximumBytes + 1)
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes { bytes in
                let free = UnsafeMutableRawBufferPointer(rebasing: bytes[count...])
                return Glibc.read(descriptor, free.baseAddress, free.count)
            }
            if read == 0 { break }
            guard read > 0 else { throw rejection("cannot be read: \(Self.text(of: errno))") }
            count += read
        }
        guard count <= Self.maximumBytes else { throw rejection("has more than \(Self.maximumBytes) bytes") }
        return bytes.prefix(count)
    }

    /// Refuses what is not a file, and what another user can change.
    private func check(_ descriptor: Int32) throws(ManifestRejection) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw rejection("cannot be read: \(Self.text(of: errno))") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw rejection("is not a file") }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw rejection("belongs to user \(status.st_uid); it must belong to the gateway's user or root")
        }
        guard status.st_mode & S_IWOTH == 0 else {
            throw rejection("can be changed by every user; remove the permission with chmod o-w")
        }
    }

    private func rejection(_ reason: String) -> ManifestRejection { ManifestRejection(file: path, reason: reason) }

    private static func text(of code: Int32) -> String { String(cString: strerror(code)) }
}
