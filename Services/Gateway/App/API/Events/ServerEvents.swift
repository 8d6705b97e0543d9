import CommentsContract
import FeedContract
import NIOCore
import RPC
import ServiceKit
import Timing

/// The changes of the feed.
typealias FeedEvents = ServerEvents<FeedEvent>

/// The changes of all comments.
typealias CommentsEvents = ServerEvents<CommentsEvent>

/// A reader to which an answer sends events.
protocol EventReader: Sendable {
    /// Writes the events until the reader is too slow or the server stops.
    /// - Throws: what `write` throws.
    func send(_ write: (ByteBuffer) async throws -> Void) async throws
}

/// The changes of a service as server-sent events, from one watch for all readers.
final class ServerEvents<Event: PublicEvent>: Sendable {
    private struct State {
        var log: EventLog<Event>
        var readers: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastReader = 0
        var isOver = false

        var standing = Standing.interrupted

        /// The line that tells a reader at this position that it has missed nothing; nil if it has, or may have.
        func id(at position: Int?) -> String? {
            standing == .complete && log.end == position ? log.last.map(ServerEvents.id) : nil
        }
    }

    /// Whether the log has all events so far.
    private enum Standing: Equatable {
        case complete
        /// The log is complete once it has the event with this seq.
        case missing(upTo: String)
        case interrupted
    }

    /// The events that a reader has missed, and its position in the log after them.
    private struct Missed: Sendable {
        let texts: [ByteBuffer]
        let position: Int
    }

    private let registry: PluginRegistry

    /// The beginning of the links for most readers. The text of an event for them is written once.
    private let publicURL: PublicURL
    private let limits: HTTPLimits

    /// The maximum number of readers.
    private let mostReaders: Int

    /// Called for each event before its readers see it.
    private let onEvent: @Sendable (Event) -> Void
    private let state: Watched<State>

    /// Readers that return with the same id share one catch-up.
    private let catchUps: SingleFlight<CatchUp, Missed>

    private struct CatchUp: Hashable, Sendable {
        let lastID: String
        let publicURL: PublicURL
    }

    private let (firstReaders, firstReader) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// How long a reader that was away may take to catch up with the log.
    private static var catchUpTime: TimeAmount { .seconds(10) }

    init(
        _ registry: PluginRegistry, _ publicURL: PublicURL, _ limits: HTTPLimits, mostReaders: Int,
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.registry = registry
        self.publicURL = publicURL
        self.limits = limits
        self.mostReaders = mostReaders
        self.onEvent = onEvent
        state = Watched(State(log: EventLog(count: limits.recentEvents, bytes: HTTPLimits.recentEventBytes)))
        catchUps = SingleFlight(joinTime: .seconds(10), clock: registry.clock)
    }

    // MARK: The service

    /// Watches the service as soon as there is a reader, until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.catchUps.run() }
            group.addTask { await self.tick() }
            for await _ in firstReaders { break }
            await watch()
            group.cancelAll()
        }
    }

    /// Ends the streams of all readers, because the server stops.
    func end() {
        let readers = state.withLock { state in
            state.isOver = true
            return state.readers.values
        }
        for reader in readers { reader.finish() }
    }

    private func watch() async {
        var backoff = Backoff()
        while !Task.isCancelled {
            do {
                // An empty seq requests a reset first, which names the current state.
                let since = state.withLock { $0.log.last } ?? ""
                try await Event.watch(registry, since: since, .endless()) { events in
                    if !since.isEmpty { settle(upTo: try await currentSeq()) }
                    for try await event in events {
                        note(event)
                        backoff.reset()
                    }
                }
            } catch let error as RPCError {
                // A service that is down has a line of its own.
                if error.kind != .unavailable { registry.noteIgnored(Event.method, error, TraceContext()) }
            } catch {
                // `withStream` throws only the runtime's errors and cancellation, which ends the loop.
            }
            interrupt()
            // `sleep` throws only on cancellation.
            try? await registry.clock.sleep(for: backoff.next())
        }
    }

    /// The seq of the newest event that the service has; nil if it ends the stream without one.
    private func currentSeq() async throws -> String? {
        try await Event.watch(registry, since: "", CallOptions(timeout: Self.catchUpTime)) { events in
            for try await event in events { return event.seq }
            return nil
        }
    }

    /// The watch has begun, and the service has this event.
    private func settle(upTo seq: String?) {
        guard let seq else { return }
        wake { state in state.standing = state.log.position(after: seq) == nil ? .missing(upTo: seq) : .complete }
    }

    private func interrupt() {
        if state.withLock({ $0.standing != .interrupted }) { wake { $0.standing = .interrupted } }
    }

    private func wake(_ change: (inout State) -> Void) {
        let readers = state.withLock { state in
            change(&state)
            return Array(state.readers.values)
        }
        for reader in readers { reader.yield() }
    }

    private func note(_ event: Event) {
        onEvent(event)
        let text = text(of: event, publicURL)
        wake { state in
            if state.log.last == nil, event.isReset {
                state.log.begin(at: event.seq)
                state.standing = .complete
            } else {
                state.log.append(event, text)
                if event.isReset || state.standing == .missing(upTo: event.seq) { state.standing = .complete }
            }
        }
    }

    /// Wakes all readers periodically, so that each sends at least a comment.
    private func tick() async {
        while !Task.isCancelled {
            // `sleep` throws only on cancellation.
            try? await registry.clock.sleep(until: registry.clock.now + HTTPLimits.eventPause)
            for reader in state.withLock({ Array($0.readers.values) }) { reader.yield() }
        }
    }

    // MARK: Readers

    /// A reader of the events. It counts until it is deallocated.
    final class Reader: EventReader {
        private let number: Int
        fileprivate let wakes: AsyncStream<Void>
        fileprivate let lastID: String?
        fileprivate let publicURL: PublicURL
        private let events: ServerEvents

        fileprivate init(
            _ number: Int, _ wakes: AsyncStream<Void>, after lastID: String?, _ publicURL: PublicURL,
            _ events: ServerEvents
        ) {
            self.number = number
            self.wakes = wakes
            self.lastID = lastID
            self.publicURL = publicURL
            self.events = events
        }

        deinit { events.remove(number) }

        func send(_ write: (ByteBuffer) async throws -> Void) async throws {
            try await events.send(to: self, write)
        }
    }

    /// - Parameters:
    ///   - lastID: the last event that the reader has; nil for one that has just loaded everything.
    ///   - url: the beginning of the links; nil for that of most readers.
    /// - Throws: `overloaded` above the maximum number of readers.
    func reader(after lastID: String?, at url: PublicURL? = nil) throws(RPCError) -> Reader {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state -> Int? in
            guard state.readers.count < mostReaders else { return nil }
            state.lastReader += 1
            state.readers[state.lastReader] = wake
            return state.lastReader
        }
        guard let number else { throw RPCError(.overloaded, "too many readers of these events", begun: false) }
        wake.yield()
        firstReader.yield()
        if state.withLock({ $0.isOver }) { wake.finish() }
        return Reader(number, wakes, after: lastID, url ?? publicURL, self)
    }

    /// Returns once the number of readers, and whether the current state of the service is known, fulfil the condition. New readers
    /// miss no event from then on.
    func wait(until isSo: @escaping @Sendable (_ readers: Int, _ isKnown: Bool) -> Bool) async {
        await state.wait { isSo($0.readers.count, $0.log.last != nil) }
    }

    private func remove(_ number: Int) { _ = state.withLock { $0.readers.removeValue(forKey: number) } }

    private func send(to reader: Reader, _ write: (ByteBuffer) async throws -> Void) async throws {
        let lastID = reader.lastID
        var position: Int?
        // The id of its state tells a reader that it has missed nothing so far. Without it, it would miss the changes while it is away.
        var needsID = true
        if lastID == nil {
            let (end, last) = state.withLock { ($0.log.end, $0.standing == .complete ? $0.log.last : nil) }
            position = end
            needsID = last == nil
            try await write(Self.greeting(last))
        } else {
            try await write(Self.greeting(nil))
        }
        for await _ in reader.wakes {
            if let lastID, position == nil,
                let missed = try await missed(CatchUp(lastID: lastID, publicURL: reader.publicURL))
            {
                for text in missed.texts { try await write(text) }
                position = missed.position
            }
            var isQuiet = true
            if !needsID, state.withLock({ $0.standing != .complete }) {
                try await write(Self.interruption)
                (isQuiet, needsID) = (false, true)
            }
            while let next = position, next < state.withLock({ $0.log.end }) {
                // A reader that is too slow has lost its position. It reconnects with the id of its last event.
                guard let logged = state.withLock({ $0.log[next] }) else { return }
                try await write(
                    reader.publicURL == publicURL ? logged.text : text(of: logged.event, reader.publicURL))
                position = next + 1
                isQuiet = false
            }
            if needsID, let id = state.withLock({ $0.id(at: position) }) {
                try await write(ByteBuffer(string: id + "\n"))
                (isQuiet, needsID) = (false, false)
            }
            if isQuiet { try await write(Self.comment) }
        }
    }

    /// What a returning reader has missed; nil while the service has not answered yet.
    private func missed(_ catchUp: CatchUp) async throws -> Missed? {
        let (position, isKnown) = state.withLock { ($0.log.position(after: catchUp.lastID), $0.log.last != nil) }
        if let position { return Missed(texts: [], position: position) }
        guard isKnown else { return nil }
        return try await catchUps.value(of: catchUp) { try await self.missed(by: catchUp) }
    }

    /// Reads the events after an older one from the service, until they meet the log.
    private func missed(by catchUp: CatchUp) async throws -> Missed {
        var (texts, bytes, last) = ([ByteBuffer](), 0, catchUp.lastID)
        do {
            return try await Event.watch(registry, since: last, CallOptions(timeout: Self.catchUpTime)) { events in
                for try await event in events {
                    // The log may have received the last event only now.
                    if let position = position(after: last) { return Missed(texts: texts, position: position) }
                    let text = text(of: event, catchUp.publicURL)
                    texts.append(text)
                    bytes += text.readableBytes
                    last = event.seq
                    if event.isReset { break }
                    if let position = position(after: last) { return Missed(texts: texts, position: position) }
                    if texts.count >= limits.recentEvents || bytes >= HTTPLimits.recentEventBytes { return startOver() }
                }
                return Missed(texts: texts, position: state.withLock { $0.log.end })
            }
        } catch let error as RPCError {
            registry.noteIgnored(Event.method, error, TraceContext())
            return startOver()
        }
    }

    private func position(after seq: String) -> Int? { state.withLock { $0.log.position(after: seq) } }

    /// Makes a reader load everything again.
    private func startOver() -> Missed {
        let (end, last) = state.withLock { ($0.log.end, $0.log.last ?? "") }
        return Missed(texts: [text(of: .reset(last), publicURL)], position: end)
    }

    // MARK: Texts

    private func text(of event: Event, _ publicURL: PublicURL) -> ByteBuffer {
        guard let (name, data) = event.named(publicURL) else {
            // Readers note its id without an event.
            return ByteBuffer(string: Self.id(event.seq) + "\n")
        }
        return ByteBuffer(string: "\(Self.id(event.seq))event: \(name)\ndata: \(data)\n\n")
    }

    /// The first lines of a stream: the pause before reconnecting, and the seq of the current state.
    private static func greeting(_ last: String?) -> ByteBuffer {
        ByteBuffer(string: "retry: \(reconnectMilliseconds)\n" + (last.map(id) ?? "") + "\n")
    }

    private static var reconnectMilliseconds: Int { 2_000 }

    /// Tells a reader that it may miss events until the next id without one.
    private static var interruption: ByteBuffer { ByteBuffer(string: "event: interrupted\ndata: {}\n\n") }

    private static var comment: ByteBuffer { ByteBuffer(string: ":\n\n") }

    /// The line with the id; empty for a seq that cannot be in one line.
    private static func id(_ seq: String) -> String {
        seq.unicodeScalars.contains { $0 == "\n" || $0 == "\r" || $0 == "\0" } ? "" : "id: \(seq)\n"
    }
}
