import Foundation

/// Where a command writes what somebody has named.
///
/// A file appears whole or not at all. What is no file (a device, a pipe) is written into and stays what it is, and a symbolic
/// link leads to what is written.
struct OutputFile {
    let path: String

    /// Why it was not written.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        fileprivate init(_ error: any Error) { description = (error as NSError).localizedDescription }
        fileprivate init(code: Int32) { description = String(cString: strerror(code)) }
    }

    func write(_ data: Data) throws(Failure) {
        var status = stat()
        // What is not there yet will be a file.
        let exists = stat(path, &status) == 0
        if exists, status.st_mode & S_IFMT != S_IFREG { return try writeInto(data) }
        do {
            try data.write(to: URL(fileURLWithPath: path).resolvingSymlinksInPath(), options: .atomic)
        } catch {
            throw Failure(error)
        }
    }

    private func writeInto(_ data: Data) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
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
