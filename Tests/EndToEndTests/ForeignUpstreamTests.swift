import Foundation
import RPCTestKit
import Synchronization
import Testing

/// A chain of edges with a foreign upstream at its head: no links, no tombstones, relative and unencoded image URLs, and texts
/// that exceed our limits.
struct ForeignUpstreamTests {
    @Test func `a chain of edges shows a foreign feed online, offline, without its caches and a week later`()
        async throws
    {
        let upstream = try ForeignUpstream()
        try await upstream.with { server in
            let clock = try await ShiftedClock()
            let allowed = ["--upstream", server.url]
            try await SupervisedDeployment.with(allowed, clock.environment) { first, started in
                #expect(started.status == 0, "\(started.errors)")
                let port = try first.httpPort()
                let shown = try await Walk(port)
                #expect(shown.order == upstream.ids && shown.images.values.allSatisfy { !$0.isEmpty })

                let behind = ["--upstream", "http://127.0.0.1:\(port)"]
                try await SupervisedDeployment.with(behind, clock.environment) { second, _ in
                    #expect(try await Walk(try second.httpPort()) == shown)

                    upstream.isUp.store(false, ordering: .sequentiallyConsistent)
                    #expect(try await Walk(try second.httpPort()) == shown)

                    // The second edge fills its new caches from those of the first.
                    _ = try await second.down()
                    try second.removeCaches()
                    #expect(try await second.up(with: [], clock.environment).status == 0)
                    #expect(try await Walk(try second.httpPort()) == shown)

                    try clock.advance(to: 604_800 - 3_600)
                    #expect(try await Walk(port) == shown)
                    #expect(try await Walk(try second.httpPort()) == shown)

                    // Cached items expire a week after the upstream last listed them.
                    try clock.advance(to: 604_800)
                    for port in [port, try second.httpPort()] {
                        #expect(try await HTTPPeer.exchange(port: port, "/v1/feed").status == 502)
                    }

                    upstream.isUp.store(true, ordering: .sequentiallyConsistent)
                    #expect(try await Walk(port) == shown)
                    #expect(try await Walk(try second.httpPort()) == shown)
                }
            }
        }
    }
}

/// A server of the same API, as another team might implement it.
private final class ForeignUpstream: Sendable {
    let isUp = Atomic(true)
    let ids: [String]
    private let pictures: [(name: String, bytes: [UInt8])]

    init() throws {
        let folder = Program.repository + "/deploy/sample/"
        pictures = try [
            "koi.png", "tram.png", "reef.jpg", "wave.webp", "snowfall.gif", "dunes.jpg", "aurora.jpg", "moonrise.jpg",
        ]
        .map { ($0, Array(try Data(contentsOf: URL(filePath: folder + $0)))) }
        ids = pictures.indices.map { "A0000000-0000-4000-8000-00000000000\($0)" }
    }

    func with(_ body: (OriginServer) async throws -> Void) async throws {
        try await OriginServer.with({ self.answer($0) }, body)
    }

    private func answer(_ request: OriginRequest) -> [OriginStep] {
        guard isUp.load(ordering: .sequentiallyConsistent) else { return [.close] }
        let parts = request.path.split(separator: "/")
        if request.path == "/v1/feed" { return feed(request) }
        if parts.count == 4, parts.last == "comments" { return comments(String(parts[2])) }
        let picture = pictures.first { request.path == "/pictures/\($0.name)%20%C3%A9" }
        return [picture.map { .response(body: $0.bytes) } ?? .response(404)]
    }

    private func feed(_ request: OriginRequest) -> [OriginStep] {
        let query = URLComponents(string: request.target)?.queryItems ?? []
        func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
        let limit = value("limit").flatMap(Int.init) ?? 10
        var page = ids[...]
        if let id = value("after_id") ?? value("before_id") {
            guard let index = ids.firstIndex(of: id) else { return [.response(400)] }
            page = value("after_id") == nil ? ids[..<index].suffix(limit) : ids[(index + 1)...].prefix(limit)
        }
        return respond(["items": page.prefix(limit).map(item)])
    }

    private func item(_ id: String) -> [String: String] {
        let index = ids.firstIndex(of: id) ?? 0
        let text = index == 0 ? String(repeating: "long ", count: 2_001) : "Picture \(index)"
        return ["id": id.lowercased(), "description": text, "image": "../pictures/\(pictures[index].name) é"]
    }

    private func comments(_ id: String) -> [OriginStep] {
        guard let index = ids.firstIndex(of: id) else { return [.response(404)] }
        // Our limits are 1 to 2,000 characters for messages and 1 to 64 for names.
        let messages = [[], [""], [String(repeating: "m", count: 2_001), "Nice"]][index % 3]
        let items = messages.enumerated().map { number, message in
            [
                "id": "B0000000-0000-4000-8000-0000000000\(index)\(number)", "message": message,
                "created_at": "2026-01-0\(number + 1)T10:00:00Z",
                "author": ["username": String(repeating: "n", count: 65)],
            ] as [String: Any]
        }
        return respond(["items": items])
    }

    private func respond(_ payload: [String: Any]) -> [OriginStep] {
        do {
            return [.response(body: Array(try JSONSerialization.data(withJSONObject: payload)))]
        } catch {
            Issue.record(error)
            return [.close]
        }
    }
}

/// Shifts the wall clock of programs that are started with `environment`: a preloaded library adds the offset in a file. Other
/// clocks do not change.
private final class ShiftedClock {
    let environment: [String: String]
    private let directory: String

    init() async throws {
        directory = FileManager.default.temporaryDirectory.path + "/clock-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let source = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <fcntl.h>
            #include <stdint.h>
            #include <stdlib.h>
            #include <sys/mman.h>
            #include <time.h>
            static int64_t *seconds;
            __attribute__((constructor)) static void begin(void) {
                int file = open(getenv("SHIFTED_CLOCK"), O_RDONLY);
                if (file >= 0) seconds = mmap(0, sizeof *seconds, PROT_READ, MAP_SHARED, file, 0);
            }
            int clock_gettime(clockid_t clock, struct timespec *time) {
                static int (*real)(clockid_t, struct timespec *);
                if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
                int result = real(clock, time);
                if (!result && clock == CLOCK_REALTIME && seconds && seconds != MAP_FAILED) time->tv_sec += *seconds;
                return result;
            }
            """
        try source.write(toFile: directory + "/clock.c", atomically: true, encoding: .utf8)
        environment = ["LD_PRELOAD": directory + "/clock.so", "SHIFTED_CLOCK": directory + "/seconds"]
        try Self.bytes(0).write(to: URL(filePath: directory + "/seconds"))
        let compiled = try await Program(path: "/usr/bin/env").run([
            "cc", "-shared", "-fPIC", "-o", directory + "/clock.so", directory + "/clock.c", "-ldl",
        ])
        try #require(compiled.status == 0, "\(compiled.errors)")
    }

    deinit {
        // If this fails, the files stay in the temporary directory.
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Sets the offset, in the file that the programs have mapped.
    func advance(to seconds: Int64) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: directory + "/seconds"))
        try file.write(contentsOf: Self.bytes(seconds))
        try file.close()
    }

    private static func bytes(_ seconds: Int64) -> Data { withUnsafeBytes(of: seconds) { Data($0) } }
}
