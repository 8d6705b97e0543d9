import Foundation
import Processes

/// The program of a service or of a plugin of ours, which is installed beside the gateway.
struct ServiceProgram {
    let name: String

    /// The services of every deployment. First the feed: what is copied after it has the bytes and comments of its items.
    static let services = ["feed", "comments", "image-data"]

    /// The reason why a program does not do what the gateway has asked it for, and its exit code.
    struct Refusal: Error, CustomStringConvertible {
        let description: String
        let exitCode: Int32
    }

    var path: String {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(filePath: own).deletingLastPathComponent().path + "/\(name)-service"
    }

    var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// Runs the program, which must end. It is killed when the task is cancelled.
    /// - Parameter isLong: whether it may take as much time and space as the stores need.
    /// - Returns: its standard output.
    /// - Throws: `Refusal`, `CancellationError`.
    @discardableResult func run(_ arguments: [String], isLong: Bool = false) async throws -> Data {
        guard isInstalled else { throw Refusal(description: "there is no program \(path)", exitCode: EX_UNAVAILABLE) }
        let process = LimitedProcess(
            path: path, arguments: arguments, environment: ProcessInfo.processInfo.environment,
            limits: isLong ? .none : LimitedProcess.Limits())
        do {
            return try await process.run(Data())
        } catch LimitedProcess.Failure.failed(let code, let complaint) {
            let lines = complaint.split(separator: "\n").prefix { !$0.hasPrefix("Help:") && !$0.hasPrefix("Usage:") }
            let text = lines.joined(separator: " ")
            let reason = text.hasPrefix("Error: ") ? String(text.dropFirst(7)) : text
            throw Refusal(
                description: reason.isEmpty ? "\(name)-service ended with \(code)" : reason, exitCode: Int32(code))
        } catch let failure as LimitedProcess.Failure {
            throw Refusal(description: "\(name)-service: \(failure)", exitCode: EX_UNAVAILABLE)
        }
    }
}
