import Foundation
import GRDB

/// Why a store was not backed up or restored. Its description is one line with the file, the reason and the remedy.
public struct StoreCopyFailure: Error, Equatable, CustomStringConvertible {
    public let description: String

    /// A code of `sysexits.h`.
    public let exitCode: Int32

    /// The store cannot be backed up.
    init(_ failure: StoreUnusable) {
        description = "\(failure)"
        exitCode =
            switch failure.reason {
            case .missing: EX_NOINPUT
            case .noAccess: EX_NOPERM
            default: EX_DATAERR
            }
    }

    private init(_ description: String, _ exitCode: Int32) {
        (self.description, self.exitCode) = (description, exitCode)
    }

    static func missing(_ file: String) -> Self { Self("there is no file \(file); check the path", EX_NOINPUT) }

    static func damaged(_ file: String, _ finding: String) -> Self {
        Self("\(file) is damaged (\(finding)); use a copy of it", EX_DATAERR)
    }

    /// - Parameter reason: why a copy cannot take the place of the store.
    static func refused(_ file: String, _ reason: StoreUnusable.Reason) -> Self {
        let remedy =
            switch reason {
            case .newer: "install that version"
            case .noAccess: "check its owner and mode"
            default: "use another copy"
            }
        return Self("cannot restore \(file): \(reason.text); \(remedy)", EX_DATAERR)
    }

    static func occupied(_ path: String) -> Self {
        Self("there is a file \(path) already; rename it, or restore into another root", EX_CANTCREAT)
    }

    static func full(_ file: String, _ needed: Int, free: Int) -> Self {
        let (needed, free) = (size(needed), size(free))
        return Self(
            "cannot write \(file): it needs \(needed), and \(free) are free; make room on the disk", EX_CANTCREAT)
    }

    /// - Parameter code: an error number of the system.
    static func unwritable(_ file: String, _ code: Int32) -> Self {
        unwritable(file, String(cString: strerror(code)).lowercased())
    }

    static func unwritable(_ file: String, _ reason: String) -> Self {
        Self("cannot write \(file): \(reason); check the path and the disk", EX_CANTCREAT)
    }

    private static func size(_ bytes: Int) -> String {
        Int64(bytes).formatted(.byteCount(style: .file, spellsOutZero: false).locale(Locale(identifier: "en_US_POSIX")))
    }
}
