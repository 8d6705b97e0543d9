import Foundation

/// The file that a command writes its result to.
///
/// A regular file is replaced as a whole, or remains unchanged. A device or a pipe is written to directly, and a
/// symbolic link is followed.
struct OutputFile {
    let path: String

    /// The reason why the file was not written.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        fileprivate init(_ error: any Error) { description = (error as NSError).localizedDescription }
        fileprivate init(code: Int32) { description = String(cString: strerror(code)) }
    }

    func write(_ data: Data) throws(Failure) {
        var status = stat()
        if stat(path, &status) == 0 {
            if status.st_mode & S_IFMT != S_IFREG { return try writeInto(data, O_WRONLY) }
        } else if lstat(path, &status) == 0 {
            // A symbolic link to a missing file.
            return try writeInto(data, O_WRONLY | O_CREAT)
        }
        do {
            try data.write(to: URL(fileURLWithPath: path).resolvingSymlinksInPath(), options: .atomic)
        } catch {
            throw Failure(error)
        }
    }

    private func writeInto(_ data: Data, _ flags: Int32) throws(Failure) {
        let descriptor = open(path, flags | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: data)
            try file.close()
        } catch {
            throw Failure(error)
        }
    }
}
