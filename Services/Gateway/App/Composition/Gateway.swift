import FeedContract
import Foundation
import RPC

/// The composition root of a running gateway: the plugins, and everything that needs more than one of them.
///
/// The methods on the socket (`GatewayHandlers`) and the HTTP API (`API`) both use it. They only translate requests and
/// answers.
struct Gateway: Sendable {
    let registry: PluginRegistry
    let site: Site
    let feed: Feed
    let pictures: Pictures
    let comments: ImageComments
    let enriching: Enriching

    /// The methods that plugins describe.
    let contracts: RecentContracts

    /// The current date, for ages and relative dates.
    let now: @Sendable () -> Date

    init(
        _ registry: PluginRegistry, _ limits: HTTPLimits = HTTPLimits(), site: Site = Site(),
        now: @escaping @Sendable () -> Date
    ) {
        (self.registry, self.site) = (registry, site)
        let clock = registry.clock
        feed = Feed(registry: registry, recent: RecentPages(limits, clock))
        pictures = Pictures(
            registry: registry, feed: feed, recent: RecentImages(limits, clock), hints: RecentHints(limits, clock))
        comments = ImageComments(registry: registry, feed: feed, recent: RecentComments(limits, clock))
        contracts = RecentContracts(clock)
        enriching = Enriching(registry)
        self.now = now
    }

    /// Maintains the connections to the plugins and the short-lived caches, until the task is cancelled.
    func run() async {
        async let pages: Void = feed.recent.run()
        async let images: Void = pictures.recent.run()
        async let hints: Void = pictures.hints.run()
        async let comments: Void = comments.recent.run()
        async let contracts: Void = contracts.run()
        await registry.run()
        _ = await (pages, images, hints, comments, contracts)
    }

    /// Clears the cached answers that a call may have changed. Failed calls count too, because they may have had an effect.
    func noteCall(of method: String) {
        if Feed.changes.contains(method) { feed.recent.forget() }
        // The call does not say here which items it has removed.
        if [FeedContract.remove.name, FeedContract.validate.name].contains(method) { feed.shown.forget() }
        if Pictures.changes.contains(method) { pictures.forget() }
        if ImageComments.changes.contains(method) { comments.forget() }
        // Cached pages contain the values that the plugin adds to items.
        if registry.mayChangeItems(by: method) { feed.recent.forget() }
    }
}
