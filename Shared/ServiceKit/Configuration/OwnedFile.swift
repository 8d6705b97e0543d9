import Foundation
import Glibc
import JSON

/// A file with which the operator configures a program: `config.json`, a manifest, a logo. Reading it never blocks, whatever it is.
public struct OwnedFile: Sendable {
    public let path: String

    public init(path: String) { self.path = path }

    /// The largest JSON document that is read.
    public static let maximumBytes = 64 * 1_024

    /// Reads a JSON document of another team: of a doubled member the last value counts. It has only members that its
    /// codec declares.
    public func read<Value>(as codec: Codec<Value>) throws(FileRejection) -> Value {
        let text = try text()
        do throws(JSONError) {
            return try RawJSON(allowingDuplicates: text).read(as: codec, refusingUnknownMembers: true)
        } catch {
            throw rejection(error, in: text)
        }
    }

    /// The text of a JSON document.
    func text() throws(FileRejection) -> Data { Data(try read().withoutByteOrderMark) }

    /// - Parameter text: the content of the file, which has the line of the error.
    func rejection(_ error: JSONError, in text: Data) -> FileRejection {
        FileRejection(file: path, line: error.line(in: text), reason: "\(error)")
    }

    public func read(upTo maximumBytes: Int = maximumBytes) throws(FileRejection) -> Data {
        // Without O_NONBLOCK, opening a FIFO would wait for its writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw rejection("cannot be opened: \(Self.text(of: errno))") }
        defer { close(descriptor) }
        try check(descriptor)
        var bytes = Data(count: maximumBytes + 1)
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
        guard count <= maximumBytes else { throw rejection("has more than \(maximumBytes) bytes") }
        return bytes.prefix(count)
    }

    /// Refuses anything but a regular file, and a file that another user can change.
    private func check(_ descriptor: Int32) throws(FileRejection) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw rejection("cannot be read: \(Self.text(of: errno))") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw rejection("is not a file") }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw rejection("belongs to user \(status.st_uid); it must belong to the program's user or root")
        }
        guard status.st_mode & S_IWOTH == 0 else {
            throw rejection("can be changed by every user; remove the permission with chmod o-w")
        }
    }

    private func rejection(_ reason: String) -> FileRejection { FileRejection(file: path, reason: reason) }

    private static func text(of code: Int32) -> String { String(cString: strerror(code)) }
}

extension JSONError {
    /// The line of the error: of the byte that is not JSON, or of the member that its path names.
    fileprivate func line(in text: Data) -> Int? {
        switch self {
        case .syntax(_, let offset): return text.line(at: offset)
        case .mismatch(let path, _):
            var (line, rest): (Int?, Data) = (nil, text)
            for name in path.split(whereSeparator: { $0 == "." || $0 == "[" }) {
                // A missing member has the line of the object that lacks it.
                guard let found = rest.firstRange(of: Data("\"\(name)\"".utf8)) else { break }
                line = text.line(at: found.lowerBound)
                rest = rest[found.upperBound...]
            }
            return line
        }
    }
}

extension Data {
    /// The number of the line that contains the byte at `offset`; the first is 1.
    fileprivate func line(at offset: Int) -> Int { prefix(offset).count { $0 == UInt8(ascii: "\n") } + 1 }
}
