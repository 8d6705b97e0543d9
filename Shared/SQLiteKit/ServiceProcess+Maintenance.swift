import ArgumentParser
import Foundation
import ServiceKit

extension ServiceProcess {
    /// Does the work that the options name, on the store of an authority. The caches of a service need no copy.
    ///
    /// An edge may have the store of the authority that it was before.
    /// - Returns: whether the program exits now.
    /// - Throws: `ExitCode`, after printing the reason.
    public func maintain(
        _ opening: StoreOpening, _ options: StoreOptions, _ maintenance: MaintenanceOptions, isEdge: Bool
    ) throws -> Bool {
        guard let work = maintenance.work else { return false }
        let path = (isEdge ? nil : options.path) ?? root.store(name)
        let opening = opening.listed(in: root)
        do throws(StoreCopyFailure) {
            switch work {
            case .backUp(let file): _ = try opening.backUp(path, to: file)
            case .restore(let file): try opening.restore(file, to: path)
            }
        } catch {
            throw refusal(error, exitCode: error.exitCode)
        }
        return true
    }
}
