import Foundation
import JSON
import NIOCore
import RPC

/// Calls the plugins for the values that they add to the items of the feed. A page omits late and failed values.
struct Enriching: Sendable {
    let registry: PluginRegistry
    let pauses: EnrichmentPauses

    init(_ registry: PluginRegistry) {
        self.registry = registry
        pauses = EnrichmentPauses(registry.clock)
    }

    /// The extensions of a page's items: one call for each enrichment, all at the same time.
    func extensions(of ids: [UUID], _ options: CallOptions) async -> FeedExtensions {
        guard !ids.isEmpty else { return FeedExtensions() }
        let calls = registry.plugins.flatMap { plugin in plugin.manifest.enriches.map { (plugin, $0) } }
        guard !calls.isEmpty else { return FeedExtensions() }
        let parts = await withTaskGroup(of: FeedExtensions.Part.self) { group in
            let params = Enrichment.params(ids)
            for (plugin, enrichment) in calls {
                group.addTask {
                    FeedExtensions.Part(
                        service: plugin.name, name: enrichment.name, style: enrichment.style,
                        result: await values(of: enrichment, from: plugin, for: ids, params, options))
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        return FeedExtensions(parts: parts.sorted { $0.name < $1.name })
    }

    private func values(
        of enrichment: Enrichment, from plugin: Plugin, for ids: [UUID], _ params: Payload, _ options: CallOptions
    ) async -> Result<[UUID: RawJSON], RPCError> {
        // Another plugin may have the name of the extension later.
        let key = "\(plugin.name).\(enrichment.name)"
        if let error = pauses.error(of: key) { return .failure(error) }
        let limit =
            plugin.manifest.timeout.map { min(EnrichmentLimits.timeout, .milliseconds(Int64($0))) }
            ?? EnrichmentLimits.timeout
        let time = options.timeOfOptionalCall(upTo: limit, now: registry.clock.now)
        var call = options
        call.timeout = time
        do throws(RPCError) {
            let answer = try await plugin.call(enrichment.method, params, call)
            return .success(try enrichment.values(in: answer, for: ids))
        } catch {
            // If the caller has little time, the plugin may be fast enough for others.
            let isSlow = error.kind == .deadlineExceeded && time == limit
            if isSlow || error.kind == .invalidData { pauses.pause(key, after: error) }
            registry.noteIgnored(enrichment.method, error, options.trace)
            return .failure(error)
        }
    }
}
