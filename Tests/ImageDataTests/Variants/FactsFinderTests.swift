import RPC
import RPCTestKit
import ServiceKit
import Synchronization
import Testing

@testable import image_data_service

struct FactsFinderTests {
    private struct Damaged: Error {}

    private final class URLs: Sendable { let list = Mutex<[String]>([]) }

    /// Runs a finder until it tries the last of these URLs.
    /// - Parameter find: fails for some URLs.
    /// - Returns: all URLs that it has tried.
    private func tried(
        _ finder: FactsFinder, until last: String, _ find: @escaping @Sendable (String) async throws -> Void = { _ in }
    ) async -> [String] {
        let tried = URLs()
        await withTaskGroup(of: Void.self) { group in
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            group.addTask {
                await finder.run { url in
                    tried.list.withLock { $0.append(url) }
                    if url == last { end.finish() }
                    try await find(url)
                }
            }
            for await _ in ends {}
            group.cancelAll()
        }
        return tried.list.withLock { $0 }
    }

    @Test func `an image does not wait twice`() async {
        let finder = FactsFinder()
        for url in ["a", "b", "a", "c"] { finder.find(url) }
        #expect(await tried(finder, until: "c") == ["a", "b", "c"])
    }

    @Test(arguments: [0, 1]) func `the oldest images above the limit are dropped, and may be wanted again`(
        past: Int
    ) async {
        let finder = FactsFinder()
        let urls = (0..<FactsFinder.longestQueue + past).map { "\($0)" }
        for url in urls { finder.find(url) }
        #expect(await tried(finder, until: urls.last ?? "") == Array(urls.dropFirst(past)))
        let again = FactsFinder()
        for url in urls + ["0"] { again.find(url) }
        #expect(await tried(again, until: past == 0 ? "255" : "0").contains("0"))
    }

    @Test func `a failure is logged once with its trace, and the image is not tried again`() async {
        let log = RecordedLog()
        let finder = FactsFinder(FailureLog(log.logger))
        let trace = TraceContext.random()
        TraceContext.$current.withValue(trace) { finder.find("a") }
        let found = await tried(finder, until: "b") { url in
            guard url == "a" else { return }
            // Wanted again while the first attempt fails.
            finder.find("a")
            finder.find("b")
            throw Damaged()
        }
        #expect(found == ["a", "b"])
        #expect(log.lines == ["finding the facts of a failed: Damaged()"])
        #expect(log.metadata("trace_id") == [trace.id])
    }

    @Test func `a cancellation is no failure`() async {
        let log = RecordedLog()
        let finder = FactsFinder(FailureLog(log.logger))
        for url in ["a", "b"] { finder.find(url) }
        #expect(await tried(finder, until: "b") { if $0 == "a" { throw CancellationError() } } == ["a", "b"])
        #expect(log.lines.isEmpty)
    }
}
