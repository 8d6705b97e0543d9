import Logging
import RPC
import ServiceKit
import Timing

/// Keeps the plugins of a registry in accordance with the folder of manifests.
struct PluginFollower: Sendable {
    let registry: PluginRegistry
    let source: ManifestSource

    /// The instance of the gateway, which must not be its own plugin.
    let ownInstance: String

    let logger: Logger

    /// Why the manifests in force were not recorded the last time; nil if they were.
    private let fault = Watched<FileRejection?>(nil)

    /// Reads the folder for the first time, and logs every invalid manifest.
    func load() async {
        _ = await update(isStart: true)
        if registry.plugins.isEmpty {
            logger.warning("no plugins in \(source.folder.path): there is nothing to serve yet")
        }
    }

    /// Follows the folder, until the task is cancelled.
    func run() async {
        let (executor, clock) = (registry.executor, registry.clock)
        let watch = FolderWatch(path: source.folder.path, logger: logger, clock: clock)
        await withDiscardingTaskGroup { group in
            group.addTask { await watch.run(on: executor.loop) }
            for await _ in watch.changes {
                // Ends early when the task is cancelled.
                try? await clock.sleep(for: FolderWatch.settleTime)
                guard !Task.isCancelled else { break }
                watch.hasLinks = await update()
            }
        }
    }

    /// Reads the folder and applies its content. A plugin whose manifest has not changed, or is invalid now, stays.
    /// - Returns: whether the folder has links.
    private func update(isStart: Bool = false) async -> Bool {
        let (known, knownRejections) = (registry.plugins, registry.rejections)
        let decision = await decide(after: known.map(\.manifest))
        var (plugins, rejections) = ([Plugin](), decision.rejections)
        for manifest in decision.manifests {
            if let plugin = known.first(where: { $0.name == manifest.name }),
                manifest.hasSameConnection(as: plugin.manifest)
            {
                plugins.append(plugin.with(manifest))
                continue
            }
            do {
                plugins.append(
                    try await Plugin(
                        manifest, root: source.root, executor: registry.executor, ownInstance: ownInstance,
                        logger: logger))
            } catch {
                rejections.append(source.rejection(of: manifest, "socket: \(error)"))
            }
        }
        registry.replace(plugins, rejections)
        noteRejections(after: knownRejections)
        // At the start, the start line lists the plugins.
        if !isStart { notePlugins(after: known) }
        return decision.hasLinks
    }

    /// Decides on a thread that may block. Without the record, for example on a full disk, the plugins themselves say what was in force.
    private func decide(after known: [PluginManifest]) async -> ManifestDecision {
        await withTaskExecutorPreference(globalConcurrentExecutor) {
            do throws(FileRejection) {
                let decision = try source.decideAndRecord(after: known)
                note(nil)
                return decision
            } catch {
                note(error)
                return source.decide(after: known)
            }
        }
    }

    /// Logs a fault once, however often the folder is read.
    private func note(_ fault: FileRejection?) {
        let isNew = self.fault.withLock { known in
            defer { known = fault }
            return known != fault
        }
        if isNew, let fault { logger.warning("the manifests in force are not recorded: \(fault)") }
    }

    private func noteRejections(after known: [FileRejection]) {
        for rejection in registry.rejections where !known.contains(rejection) {
            let isKept = registry.knows(rejection.name)
            logger.error("plugin refused: \(rejection)\(isKept ? "; its last valid manifest remains in force" : "")")
        }
    }

    private func notePlugins(after known: [Plugin]) {
        for plugin in known where !registry.knows(plugin.name) {
            logger.notice("plugin \(plugin.name) was removed: its manifest is gone")
        }
        for plugin in registry.plugins {
            let old = known.first { $0.name == plugin.name }
            if old == nil {
                logger.notice("plugin \(plugin.name) at \(plugin.client.path) was added")
            } else if old?.manifest != plugin.manifest {
                logger.notice("plugin \(plugin.name) has a changed manifest")
            }
        }
    }
}
