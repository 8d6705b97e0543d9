import Foundation

/// The reason why a file or folder cannot be used, and the remedy.
enum FileFault {
    /// The same for a file or folder that is to be created.
    static func text(writing code: Int32) -> String {
        code == ENOENT ? "its folder does not exist; create the folder, or check the path" : text(code)
    }

    /// The same for a path of an argument, whose bytes that are not UTF-8 were replaced.
    static func text(_ code: Int32, reading path: String) -> String {
        code == ENOENT && path.unicodeScalars.contains("\u{FFFD}") ? "its name is not in UTF-8; rename it" : text(code)
    }

    /// - Parameter code: an error number of the system.
    static func text(_ code: Int32) -> String {
        switch code {
        case ENOENT: "it does not exist; check the path"
        case ENOTDIR: "a part of the path is not a folder; check the path"
        case EISDIR: "it is a folder; name a file"
        case EACCES, EPERM: "permission denied; check its mode and owner, or run as another user"
        case ENOSPC, EDQUOT: "no space left; make room on the disk"
        case EROFS: "the file system is read-only; name another place"
        case ENAMETOOLONG: "the name is too long; choose a shorter one"
        case ELOOP: "its symbolic links form a loop; check the path"
        default: "\(String(cString: strerror(code)).lowercased()); check the path and the disk"
        }
    }
}
