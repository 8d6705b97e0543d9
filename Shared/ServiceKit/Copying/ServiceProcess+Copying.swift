import Foundation
import JSON
import Logging
import Timing

extension ServiceProcess {
    /// Copies a store, and prints the proof, which is equal for both.
    /// - Parameter body: opens both with this logger, and copies.
    /// - Throws: `ExitCode`, after printing the reason.
    public func copy(
        from source: StorePlace, to target: StorePlace, _ body: (Logger) async throws -> StoreProof
    ) async throws {
        let lastLine = LastLine()
        do {
            guard source != target else { throw StoreCopyRefusal.same(target) }
            if case .file(let path) = source, !FileManager.default.fileExists(atPath: path) {
                throw StoreCopyRefusal.missing(path: path)
            }
            let proof = try await body(Logger(label: "copy") { _ in lastLine })
            FileHandle.standardOutput.write(Data("\(RawJSON(proof, as: StoreProof.codec))\n".utf8))
        } catch let reason as StoreCopyRefusal {
            throw refusal(reason, exitCode: reason.exitCode)
        } catch let error as StoreError {
            // Stores log the details of their errors.
            let detail = lastLine.line.withLock { $0 } ?? "\(error)"
            let reason = error == .damaged ? StoreCopyRefusal.damaged(detail) : .unusable(detail)
            throw refusal(reason, exitCode: reason.exitCode)
        } catch {
            throw refusal(error)
        }
    }
}

/// Keeps the last line that was logged.
private struct LastLine: LogHandler {
    let line = Watched<String?>(nil)
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { line.withLock { $0 = "\(event.message)" } }
}
