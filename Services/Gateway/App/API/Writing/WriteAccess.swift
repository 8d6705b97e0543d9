import Foundation
import Glibc
import Logging
import ServiceKit
import Synchronization

/// Who may write over HTTP: the token, and the sessions of browsers that have sent it.
///
/// The file of the token is read again when it has changed. The sessions of the token before end then.
final class WriteAccess: Sendable {
    typealias Grant = (token: WriteToken, sessions: Sessions)

    private struct State: Sendable {
        var token: WriteToken?
        var sessions: Sessions

        /// The file when it was read; nil if there was none.
        var file: FileMark?
    }

    private let path: String?
    private let deployment: String
    private let logger: Logger?
    private let state: Mutex<State>

    /// The largest file that is read: a token and white space.
    private static let maximumBytes = 2 * WriteToken.length.upperBound

    /// - Parameters:
    ///   - token: the token at the start; nil if writing is off.
    ///   - path: the file of the token; nil if the token cannot change.
    ///   - deployment: what distinguishes the deployment on its host.
    init(token: WriteToken?, file path: String? = nil, deployment: String = "", logger: Logger? = nil) {
        (self.path, self.deployment, self.logger) = (path, deployment, logger)
        state = Mutex(
            State(token: token, sessions: Sessions(deployment: deployment), file: path.flatMap(FileMark.init(of:))))
    }

    /// Nil while writing is off.
    var current: Grant? {
        state.withLock { state in
            if let path, case let file = FileMark(of: path), file != state.file {
                state = State(
                    token: file == nil ? nil : read(path), sessions: Sessions(deployment: deployment), file: file)
            }
            return state.token.map { ($0, state.sessions) }
        }
    }

    /// - Returns: nil for a file that cannot be used.
    private func read(_ path: String) -> WriteToken? {
        do throws(FileRejection) {
            let text = String(decoding: try OwnedFile(path: path).read(upTo: Self.maximumBytes), as: UTF8.self)
            if let token = WriteToken(text) {
                logger?.notice("\(path) has a new token for comments over HTTP")
                return token
            }
            throw FileRejection(file: path, reason: "must have \(WriteToken.description)")
        } catch {
            logger?.error("comments over HTTP are off: \(error)")
            return nil
        }
    }
}

/// Differs after each change of a file.
private struct FileMark: Equatable {
    private let numbers: [Int]

    /// - Returns: nil if there is no such file.
    init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        numbers = [
            Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
            status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
        ]
    }
}
