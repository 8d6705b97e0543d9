import ArgumentParser
import Foundation
import RPC
import ServiceKit
import Synchronization

/// Restores a backup into an empty root. Needs no running gateway.
struct RestoreCommand: MaintenanceCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a deployment of a backup.",
        discussion: """
            BACKUP is a directory that `gateway backup` has written. All its files are compared with their SHA-256 before the \
            directory of --root changes. That must be empty or missing; it gets the whole backup, or nothing. Stores of an earlier version are \
            migrated at their first start.

            Tokens are not in a backup: write ROOT/http-token again. The settings are those of the backup, also the HTTP \
            port: name another one with `deploy/up --http-port` if the former deployment runs on the same machine.

            Exit codes: 65 if the backup is damaged or of a newer version, 66 if there is none, 73 if the directory has files or cannot be \
            written.

            Examples:
              gateway restore /backup/20260131T235959Z --root /srv/other
              deploy/up --root /srv/other
            """)

    @OptionGroup var rootOption: RootOption

    @Argument(help: ArgumentHelp("The directory of the backup.", valueName: "backup"), completion: .directory)
    var backup: String

    var output: Output { Output(terminal: .live(), color: .auto) }

    func work(_ output: Output) async throws {
        let root = EmptyRoot(path: rootOption.root.path)
        try root.check()
        let manifest = try BackupReader.manifest(of: backup)
        try await restore(manifest, to: root, output)
        let time = manifest.time.formatted(.iso8601)
        output.print("Restored the backup of \(time). Start it: deploy/up --root \(root.path.shellWord)")
    }

    private func restore(_ manifest: BackupManifest, to root: EmptyRoot, _ output: Output) async throws {
        // Every file is read twice.
        let bar = Mutex(ProgressBar(total: 2 * manifest.size, unit: .bytes, on: output.terminal))
        defer { output.draw(bar.withLock { $0.clear() }) }
        let reader = BackupReader(path: backup, manifest: manifest) { done, label in
            output.draw(bar.withLock { $0.update(to: done, label: label, at: .now) })
        }
        try reader.verify()
        try await root.fill { try await reader.restore(to: $0) }
    }
}
