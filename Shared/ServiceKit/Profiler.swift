import ArgumentParser
import Foundation
import Logging
import NIOCore
import RPC
import Timing

/// The events of a single request that an operator can have logged. By default none are: requests are not logged merely
/// because they happened.
public enum ProfileSwitch: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// When a load begins, and how long it took.
    case time
    /// Loads that fail.
    case errors
    /// Cache misses.
    case misses
    /// The number of bytes loaded.
    case bytes
}

/// The option that switches profiling on.
public struct ProfileOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("profile"), parsing: .upToNextOption,
        help: ArgumentHelp("Log each request to an upstream or a cache.", valueName: "what"))
    public var profiled: [ProfileSwitch] = []

    public init() {}

    public func profiler(_ logger: Logger) -> Profiler { Profiler(Set(profiled), logger: logger) }
}

/// A decorator that measures and logs loads. It does not change their results.
public struct Profiler: Sendable {
    private let switches: Set<ProfileSwitch>
    private let logger: Logger
    private let clock: any MonotonicClock

    public init(_ switches: Set<ProfileSwitch>, logger: Logger, clock: any MonotonicClock = .system) {
        self.switches = switches
        self.logger = logger
        self.clock = clock
    }

    /// Runs a load and logs it.
    /// - Parameters:
    ///   - url: the URL that is loaded.
    ///   - bytes: the size of a result in bytes.
    ///   - failure: the reason why a result counts as a failed load, such as a response with status 500; nil for success.
    public func loading<Result, Failure: Error>(
        _ url: String, bytes: (Result) -> Int, failure: (Result) -> String? = { _ in nil },
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        guard !switches.isEmpty else { return try await body() }
        let start = clock.now
        if switches.contains(.time) { log("Started loading \(url)") }
        do throws(Failure) {
            let result = try await body()
            let count = bytes(result)
            if switches.contains(.time) {
                log("Finished loading \(url) in \(seconds(since: start)) seconds" + (weighs ? " (\(count) bytes)" : ""))
            } else if weighs {
                log("Loaded \(url) (\(count) bytes)")
            }
            if let reason = failure(result) { failed(url, since: start, reason) }
            return result
        } catch {
            failed(url, since: start, "\(error)")
            throw error
        }
    }

    /// Logs a cache miss.
    public func missed(_ url: String) {
        if switches.contains(.misses) { log("Cache miss for \(url)") }
    }

    private func failed(_ url: String, since start: NIODeadline, _ reason: @autoclosure () -> String) {
        if switches.contains(.errors) {
            log("Failed to load \(url) after \(seconds(since: start)) seconds: \(reason())")
        }
    }

    private var weighs: Bool { switches.contains(.bytes) }

    private func seconds(since start: NIODeadline) -> String {
        let milliseconds = (clock.now - start).nanoseconds / 1_000_000
        return String(format: "%d.%03d", milliseconds / 1_000, milliseconds % 1_000)
    }

    private func log(_ line: String) { logger.info("\(line)", metadata: TraceContext.current.metadata) }
}
