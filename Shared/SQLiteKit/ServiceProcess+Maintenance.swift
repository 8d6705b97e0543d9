import ArgumentParser
import Foundation
import JSON
import RPC
import ServiceKit

extension ServiceProcess {
    /// Does the work that the options name.
    /// - Parameter stores: all stores of the service. The one that is not a cache is backed up and restored.
    /// - Returns: whether the program exits now.
    /// - Throws: `ExitCode`, after printing the reason.
    public func maintain(_ stores: [VerifiedStore], _ maintenance: MaintenanceOptions) throws -> Bool {
        guard let work = maintenance.work else { return false }
        do {
            switch work {
            case .backUp(let file): try own(stores).map { _ = try $0.opening.backUp($0.path, to: file) }
            case .restore(let file):
                guard let store = own(stores) else { throw ValidationError("this program has no store to restore") }
                try store.opening.restore(file, to: store.path)
            case .verify(let isRepair): try verify(stores, isRepair: isRepair)
            }
        } catch let failure as StoreCopyFailure {
            throw refusal(failure, exitCode: failure.exitCode)
        }
        return true
    }

    private func own(_ stores: [VerifiedStore]) -> VerifiedStore? {
        stores.map { $0.listed(in: root) }.first { !$0.opening.isCache }
    }

    private func verify(_ stores: [VerifiedStore], isRepair: Bool) throws {
        // It is the lock of the stores.
        let socket = isRepair ? try takeSocket() : nil
        defer { socket?.release() }
        for store in stores {
            try store.listed(in: root).verify(isRepair: isRepair, now: Date()) { finding in
                let line = "\(RawJSON(finding, as: StoreFinding.codec))\n"
                try FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
            }
        }
    }
}
