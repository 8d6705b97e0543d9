import CommentsContract
import FeedContract
import Foundation
import ImageDataContract
import RPC
import RPCTestKit
import Testing

/// The edges of all three services after their cache was lost or damaged.
struct EdgeStoreProcessTests {
    private static let services = Deployment.services

    private enum Fate: CaseIterable {
        case removed, empty, garbage, exchanged, directory, overwritten, cut

        func happen(to path: String) throws {
            if self == .overwritten || self == .cut {
                let file = try #require(FileHandle(forWritingAtPath: path))
                if self == .cut {
                    try file.truncate(atOffset: 4_096)
                } else {
                    try file.write(contentsOf: Data(repeating: 0x2E, count: 20_000))
                }
                return try file.close()
            }
            try FileManager.default.removeItem(atPath: path)
            switch self {
            case .removed, .overwritten, .cut: break
            case .directory: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            case .empty: try Data().write(to: URL(filePath: path))
            case .garbage: try Data(repeating: 0x2E, count: 20_000).write(to: URL(filePath: path))
            case .exchanged: try FileManager.default.copyItem(atPath: path + ".other", toPath: path)
            }
        }
    }

    @Test(arguments: services) func `a cache that is lost between two starts is replaced`(name: String) async throws {
        try await withEdge(name) { edge in
            for fate in Fate.allCases {
                try await edge.run { _ = try await $0.keeps(name, edge.origin) }
                let path = try edge.path()
                try edge.makeOther(path)
                try fate.happen(to: path)
                try await edge.run { service in
                    let isCached = try await service.keeps(name, edge.origin)
                    #expect(isCached && service.log.contains(path), "\(fate): \(service.log)")
                    #expect(try await service.health() == .serving)
                }
                #expect(try edge.takeCorrupt() == (fate == .removed ? 0 : 1), "\(fate)")
            }
        }
    }

    @Test(arguments: services) func `a cache lost while the service runs is replaced`(name: String) async throws {
        for fate in Fate.allCases {
            try await withEdge(name) { edge in
                try await edge.run { _ = try await $0.keeps(name, edge.origin) }
                let path = try edge.path()
                try edge.makeOther(path)
                try await edge.run { service in
                    #expect(try await service.keeps(name, edge.origin))
                    try fate.happen(to: path)
                    // The first answer is not cached, the second is.
                    _ = try await service.keeps(name, edge.origin)
                    #expect(try await service.keeps(name, edge.origin), "\(fate): \(service.log)")
                    #expect(try await service.health() == .serving)
                    #expect(await service.logLines(with: "is created").last?.contains(path) == true)
                }
                #expect(try edge.takeCorrupt() == (fate == .removed ? 0 : 1), "\(fate)")
            }
        }
    }

    private struct Edge {
        let name: String
        let root: String
        let origin: OriginServer

        func run(_ body: (RunningService) async throws -> Void) async throws {
            try await RunningService.with(name, root: root, arguments: ["--upstream", origin.url], body)
        }

        func path() throws -> String {
            let files = try FileManager.default.contentsOfDirectory(atPath: root + "/data")
            return root + "/data/" + (try #require(files.first { $0.hasSuffix(".sqlite") }))
        }

        /// Makes a file of the same program with another identity.
        func makeOther(_ path: String) throws {
            var bytes = try Data(contentsOf: URL(filePath: path))
            let list = try #require(FileManager.default.contentsOfDirectory(atPath: root + "/stores").first)
            let entry = try String(contentsOfFile: root + "/stores/" + list, encoding: .utf8)
            let identity = try #require(entry.firstMatch(of: /[0-9A-F]{8}-[0-9A-F-]{27}/)?.output)
            let place = try #require(bytes.range(of: Data(identity.utf8)))
            bytes.replaceSubrange(place, with: UUID().uuidString.utf8)
            try bytes.write(to: URL(filePath: path + ".other"))
        }

        /// - Returns: the number of stores renamed since the last call.
        func takeCorrupt() throws -> Int {
            let files = try FileManager.default.contentsOfDirectory(atPath: root + "/data")
                .filter { $0.contains(".corrupt-") }
            for file in files { try FileManager.default.removeItem(atPath: root + "/data/" + file) }
            return files.count { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
        }
    }

    private func withEdge(_ name: String, _ body: (Edge) async throws -> Void) async throws {
        try await OriginServer.with { request -> [OriginStep] in
            switch request.path {
            case "/v1/feed":
                return [.response(text: #"{"items":[{"id":"\#(UUID())","image":"https://pictures.example/1"}]}"#)]
            case "/picture": return [.response(body: [UInt8](Data.pixel))]
            default: return [.response(text: #"{"items":[]}"#)]
            }
        } _: { origin in
            try await withTemporaryDirectory { root in
                try await body(Edge(name: name, root: root, origin: origin))
            }
        }
    }
}

extension RunningService {
    /// Reads from the upstream.
    /// - Returns: whether the answer is cached.
    fileprivate func keeps(_ name: String, _ origin: OriginServer) async throws -> Bool {
        switch name {
        case "feed": return try await client.call(FeedContract.load, LoadFeed()).notices == nil
        case "comments":
            return try await client.call(CommentsContract.list, ListComments(imageID: UUID())).notices == nil
        default:
            let url = origin.url + "/picture"
            _ = try await client.call(
                ImageDataContract.load, LoadImage(url: url, policy: .cold, strategy: .reload))
            do {
                _ = try await client.call(
                    ImageDataContract.load, LoadImage(url: url, policy: .cold, strategy: .cacheOnly))
                return true
            } catch {
                guard error.kind == .notFound else { throw error }
                return false
            }
        }
    }

    fileprivate func health() async throws -> Health.Status {
        try await client.call(ProtocolMethods.health, ServiceSelection()).status
    }
}
