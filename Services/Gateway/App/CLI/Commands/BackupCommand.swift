import ArgumentParser
import Foundation
import RPC
import ServiceKit
import Synchronization

/// Backs up a deployment. Needs no running gateway.
struct BackupCommand: MaintenanceCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the data and the settings of a deployment into a new directory.",
        discussion: """
            The backup is DIR/TIME, with the time in UTC. It has the stores of feed, comments and images, config.json with the logo \
            that it names, and the manifests of plugins. backup.json lists the files with their SHA-256. Services may run and write \
            meanwhile: everything that was acknowledged before the command started is in the backup.

            Not in a backup: caches (an edge has only settings and manifests), the index of search, tokens, logs, programs (a plugin's \
            that is in plugins.d is), and the data of plugins that are not part of image-feed.

            The command prints the path of the backup. While it is written, it is DIR/TIME.partial. If the command fails, all \
            earlier backups stay. A damaged store is not backed up, and the exit code is 65; it is 73 if DIR cannot be written or has too \
            little space.

            Examples:
              gateway backup /backup
              gateway backup /backup --keep 7     keep the latest seven
              gateway restore /backup/20260131T235959Z --root /srv/other
            """)

    @OptionGroup var rootOption: RootOption

    @Argument(
        help: ArgumentHelp("The directory for backups. It is created if it is missing.", valueName: "dir"),
        completion: .directory)
    var folder: String

    @Option(
        help: ArgumentHelp(
            "After success, remove all but the latest backups in DIR, and unfinished ones. Default: remove none.",
            valueName: "count"))
    var keep: Int?

    func validate() throws {
        guard (1 ... .max).contains(keep ?? 1) else { throw ValidationError("--keep must be at least 1") }
    }

    var output: Output { Output(terminal: .live(), color: .auto) }

    func work(_ output: Output) async throws {
        let root = try rootOption.existing()
        try checkPlace(in: root)
        let folder = BackupFolder(path: folder)
        let lock = try folder.open()
        defer { withExtendedLifetime(lock) {} }
        let new = try folder.begin(at: Date())
        let backup: String
        do {
            backup = try await write(new, of: root, in: folder, output)
        } catch {
            try? FileManager.default.removeItem(atPath: new)
            throw error
        }
        output.print(Escaping.visible(backup))
        for program in BackupWriter.omittedPrograms(of: root) {
            output.say("not in the backup: the program of a plugin, \(Escaping.visible(program))")
        }
        if let keep { try folder.keep(keep, of: root, with: backup) }
    }

    /// - Returns: the path of the backup.
    private func write(
        _ new: String, of root: Root, in folder: BackupFolder, _ output: Output
    ) async throws -> String {
        let bar = Mutex(ProgressBar(total: nil, unit: .bytes, on: output.terminal))
        defer { output.draw(bar.withLock { $0.clear() }) }
        let writer = BackupWriter(root: root, target: new) { done, label in
            output.draw(bar.withLock { $0.update(to: done, label: label, at: .now) })
        }
        guard try await writer.run(at: Date()) != nil else {
            throw CommandFailure(
                RPCError(.notFound, "\(root.path) has no store and no settings; name a deployment with --root"))
        }
        return try folder.complete(new)
    }

    /// What is in ROOT may be lost, copied or removed with it.
    private func checkPlace(in root: Root) throws(CommandFailure) {
        let place = URL(filePath: folder)
        let parent = place.deletingLastPathComponent().resolvingSymlinksInPath()
        let own = root.resolved
        let paths = [place.resolvingSymlinksInPath().path, parent.appending(path: place.lastPathComponent).path]
        guard paths.allSatisfy({ $0 != own && !$0.hasPrefix(own + "/") }) else {
            throw .usage("a backup in \(root.path) would be lost with it; name another directory")
        }
    }
}
