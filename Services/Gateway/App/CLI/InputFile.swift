import Foundation
import RPC

/// A file of this machine, or standard input, that a command reads as a whole.
struct InputFile: Equatable {
    let path: String

    /// The path of standard input.
    static let standardInput = "-"

    /// The name in messages.
    var name: String { path == Self.standardInput ? "standard input" : "file \(path)" }

    /// - Parameters:
    ///   - limit: the maximum size in bytes.
    ///   - isRegular: whether to refuse pipes and devices, which may never end.
    /// - Throws: `not_found` when it cannot be read, `invalid_data` for another kind of file, `too_large`.
    func read(upTo limit: Int, isRegular: Bool = false) throws(RPCError) -> Data {
        guard path != Self.standardInput else { return try read(STDIN_FILENO, upTo: limit) }
        // Without O_NONBLOCK, opening a pipe without a writer would wait for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | (isRegular ? O_NONBLOCK : 0))
        guard descriptor >= 0 else { throw unreadable(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable(errno) }
        let kind = status.st_mode & S_IFMT
        guard kind != S_IFDIR, !isRegular || kind == S_IFREG else {
            throw RPCError(.invalidData, "cannot read \(name): it is not a regular file", begun: false)
        }
        if kind == S_IFREG, status.st_size > limit { throw tooLarge("\(status.st_size) bytes", limit) }
        return try read(descriptor, upTo: limit)
    }

    /// The first bytes of a regular file; nil if it is no such file, or cannot be read.
    func beginning(_ count: Int) -> Data? {
        // A pipe without a writer must not be waited for.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var buffer = [UInt8](repeating: 0, count: min(count, Int(status.st_size)))
        let length = Glibc.read(descriptor, &buffer, buffer.count)
        return length < 0 ? nil : Data(buffer.prefix(length))
    }

    /// The content as text, without the line feed at its end.
    func text(upTo limit: Int) throws(RPCError) -> String {
        let data = try read(upTo: limit)
        guard let text = String(validating: data, as: UTF8.self) else {
            throw RPCError(.invalidData, "\(name) is not text in UTF-8", begun: false)
        }
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    private func read(_ descriptor: Int32, upTo limit: Int) throws(RPCError) -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return data }
            if count < 0 {
                if errno == EINTR { continue }
                throw unreadable(errno)
            }
            data.append(contentsOf: buffer[..<count])
            guard data.count <= limit else { throw tooLarge("more than \(limit) bytes", limit) }
        }
    }

    private func tooLarge(_ size: String, _ limit: Int) -> RPCError {
        RPCError(.tooLarge, "\(name) has \(size), the limit is \(limit)", begun: false)
    }

    private func unreadable(_ code: Int32) -> RPCError {
        RPCError(.notFound, "cannot read \(name): \(FileFault.text(code, reading: path))", begun: false)
    }
}
