import Foundation

/// The file that a command writes its result to.
///
/// A regular file is replaced as a whole, or remains unchanged. A device or a pipe is written to directly, and a
/// symbolic link is followed.
struct OutputFile {
    let path: String

    /// The reason why the file was not written, and the remedy.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        fileprivate init(code: Int32) { description = FileFault.text(writing: code) }
    }

    func write(_ data: Data) throws(Failure) {
        var status = stat()
        if stat(path, &status) == 0 {
            switch status.st_mode & S_IFMT {
            case S_IFREG: try replace(data, mode: status.st_mode & 0o7777)
            case S_IFDIR: throw Failure(code: EISDIR)
            default: try writeInto(path, data, O_WRONLY)
            }
        } else if lstat(path, &status) == 0 {
            // A symbolic link to a missing file.
            try writeInto(path, data, O_WRONLY | O_CREAT)
        } else {
            try replace(data, mode: nil)
        }
    }

    /// - Parameter mode: the mode of the replaced file; nil for a new file.
    private func replace(_ data: Data, mode: mode_t?) throws(Failure) {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let temporary = "\(target).\(getpid()).part"
        do throws(Failure) {
            try writeInto(temporary, data, O_WRONLY | O_CREAT | O_EXCL)
            if let mode, chmod(temporary, mode) != 0 { throw Failure(code: errno) }
            guard rename(temporary, target) == 0 else { throw Failure(code: errno) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private func writeInto(_ path: String, _ data: Data, _ flags: Int32) throws(Failure) {
        let descriptor = open(path, flags | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let code = errno
                close(descriptor)
                throw Failure(code: code)
            }
            rest = rest.dropFirst(count)
        }
        guard close(descriptor) == 0 else { throw Failure(code: errno) }
    }
}
