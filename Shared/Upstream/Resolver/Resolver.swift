import Foundation
import NIOCore

/// Looks up the addresses of names on its own threads, because `getaddrinfo` blocks while the DNS server does not answer.
///
/// Concurrent requests for a name share one lookup, even one that still blocks after its first requests have ended. The names of
/// one site may use only a few threads and places in the queue, so that a site with a hanging DNS server does not delay others.
/// Names that the operator configured never wait in the queue. Results are not cached. Runs on the event loop.
final class Resolver {
    typealias LookUp = @Sendable (String) -> Result<[IPAddress], SystemLookup.Failure>

    private let loop: any EventLoop
    private let limits: UpstreamLimits
    private let known: Set<Host>
    private let lookUp: LookUp

    /// The running lookups and the queue, each with the requests that wait for the result.
    private var running: [String: [Waiting<[IPAddress]>]] = [:]
    private var queue: [(name: String, waiting: [Waiting<[IPAddress]>])] = []

    /// - Parameter known: the hosts that the operator configured. They may use one further thread each.
    init(
        on loop: any EventLoop, limits: UpstreamLimits, known: [Host] = [],
        lookUp: @escaping LookUp = SystemLookup.addresses
    ) {
        self.loop = loop
        self.limits = limits
        self.known = Set(known)
        self.lookUp = lookUp
    }

    func addresses(of name: String, within limit: TimeLimit) async throws(UpstreamError) -> [IPAddress] {
        let waiting = Waiting<[IPAddress]>()
        try enlist(waiting, for: name)
        let addresses = try await waiting.value(within: limit, on: loop) { self.strike(waiting, from: name) }
        guard !addresses.isEmpty else { throw .unreachable(host: name, reason: "its name has no address") }
        return addresses
    }

    /// The last two labels of a name, which approximate its owner.
    static func site(_ name: String) -> String { name.split(separator: ".").suffix(2).joined(separator: ".") }

    private func enlist(_ waiting: Waiting<[IPAddress]>, for name: String) throws(UpstreamError) {
        if running[name] != nil {
            running[name]?.append(waiting)
        } else if let index = queue.firstIndex(where: { $0.name == name }) {
            queue[index].waiting.append(waiting)
        } else if mayBegin(name) {
            begin(name, for: [waiting])
        } else if queue.count < limits.lookupsWaiting, waitingOf(site: name) < limits.lookupsWaitingPerSite {
            queue.append((name, [waiting]))
        } else {
            throw .overloaded("\(queue.count) names wait to be looked up")
        }
    }

    private func mayBegin(_ name: String) -> Bool {
        if known.contains(.name(name)) { return true }
        let others = running.keys.filter { !known.contains(.name($0)) }
        let site = Self.site(name)
        return others.count < limits.lookups && others.count { Self.site($0) == site } < limits.lookupsPerSite
    }

    private func waitingOf(site name: String) -> Int {
        let site = Self.site(name)
        return queue.count { Self.site($0.name) == site }
    }

    /// Removes a request. A running lookup continues, because `getaddrinfo` cannot be cancelled; a queued one without requests is
    /// dropped.
    private func strike(_ waiting: Waiting<[IPAddress]>, from name: String) {
        running[name]?.removeAll { $0 === waiting }
        guard let index = queue.firstIndex(where: { $0.name == name }) else { return }
        queue[index].waiting.removeAll { $0 === waiting }
        if queue[index].waiting.isEmpty { queue.remove(at: index) }
    }

    /// Runs a lookup on a new thread. Compared with a DNS request a thread is cheap, and no idle threads remain.
    private func begin(_ name: String, for waiting: [Waiting<[IPAddress]>]) {
        running[name] = waiting
        let end = NIOLoopBound({ self.end(name, $0) }, eventLoop: loop)
        Thread.detachNewThread { [loop, lookUp] in
            let result = lookUp(name)
            loop.execute { end.value(result) }
        }
    }

    private func end(_ name: String, _ result: Result<[IPAddress], SystemLookup.Failure>) {
        let result = result.mapError { UpstreamError.unreachable(host: name, reason: $0.reason) }
        for waiting in running.removeValue(forKey: name) ?? [] { waiting.end(result) }
        // One thread became free, so at most one lookup starts.
        guard let index = queue.firstIndex(where: { mayBegin($0.name) }) else { return }
        let next = queue.remove(at: index)
        begin(next.name, for: next.waiting)
    }
}
