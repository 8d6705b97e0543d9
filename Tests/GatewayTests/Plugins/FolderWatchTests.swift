import Foundation
import NIOCore
import RPC
import RPCTestKit
import Testing

@testable import gateway

/// How a registry notices changes of its folder.
struct FolderWatchTests {
    private static func manifest(_ name: String, _ socket: String) -> String {
        #"{"name":"\#(name)","socket":"\#(socket)","contracts":{}}"#
    }

    private static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    @Test func `a manifest that is a link takes effect when its target changes outside of the folder`() async throws {
        try await FollowedFolder.with { folder in
            let target = folder.root + "/elsewhere.json"
            try Self.write(Self.manifest("likes", "a.sock"), to: target)
            #expect(symlink(target, folder.path + "/likes.json") == 0)
            await folder.wait(inStepsOf: FolderWatch.pollTime, for: ["likes": "a.sock"])
            try Self.write(Self.manifest("likes", "b.sock"), to: target)
            await folder.wait(inStepsOf: FolderWatch.pollTime, for: ["likes": "b.sock"])
            // Its target may be missing for a while.
            try FileManager.default.removeItem(atPath: target)
            await folder.wait(inStepsOf: FolderWatch.pollTime) { _, rejections in rejections.map(\.name) == ["likes"] }
            try Self.write(Self.manifest("likes", "c.sock"), to: target)
            await folder.wait(inStepsOf: FolderWatch.pollTime, for: ["likes": "c.sock"])
        }
    }

    @Test func `a folder that is a link takes effect when it leads to another folder`() async throws {
        try await FollowedFolder.with(nil) { folder in
            for (name, socket) in [("one", "a.sock"), ("two", "b.sock")] {
                try FileManager.default.createDirectory(
                    atPath: "\(folder.root)/\(name)", withIntermediateDirectories: false)
                try Self.write(Self.manifest("likes", socket), to: "\(folder.root)/\(name)/likes.json")
                #expect(symlink(name, folder.root + "/new") == 0)
                #expect(rename(folder.root + "/new", folder.path) == 0)
                await folder.wait(inStepsOf: FolderWatch.pollTime, for: ["likes": socket])
            }
            // A change in the folder that it leads to, and that folder replaced by another one.
            try Self.write(Self.manifest("likes", "c.sock"), to: folder.root + "/two/likes.json")
            await folder.wait(inStepsOf: FolderWatch.pollTime, for: ["likes": "c.sock"])
            #expect(rename(folder.root + "/one", folder.root + "/three") == 0)
            #expect(rename(folder.root + "/two", folder.root + "/one") == 0)
            #expect(rename(folder.root + "/three", folder.root + "/two") == 0)
            await folder.wait(inStepsOf: FolderWatch.pollTime, for: ["likes": "a.sock"])
        }
    }

    /// The loop is held until the kernel's queue of events is full, so that the event of the last file is lost.
    @Test func `events that the kernel drops do not matter`() async throws {
        let limit = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
        let events = try #require(Int(limit.trimmingCharacters(in: .whitespacesAndNewlines)))
        let executor = LoopExecutor.separate()
        try await FollowedFolder.with(on: executor) { folder in
            try folder.write("first", Self.manifest("first", "a.sock"))
            await folder.registry.wait { plugins, _ in plugins.map(\.name) == ["first"] }
            let release = DispatchSemaphore(value: 0)
            executor.loop.execute { release.wait() }
            let (one, two) = (folder.path + "/x", folder.path + "/y")
            try Self.write("", to: one)
            for _ in 0...events / 4 where rename(one, two) != 0 || rename(two, one) != 0 {
                Issue.record("cannot rename: \(errno)")
            }
            try folder.write("last", Self.manifest("last", "a.sock"))
            release.signal()
            await folder.registry.wait { plugins, _ in plugins.map(\.name) == ["first", "last"] }
        }
    }

    /// In a user namespace of its own, whose limits are lower.
    @Test(
        .enabled(if: geteuid() == 0, "needs root"),
        arguments: [
            ("max_inotify_instances", "fs.inotify.max_user_instances"),
            ("max_inotify_watches", "fs.inotify.max_user_watches"),
        ])
    func `where inotify is not available, the folder is read regularly, and the log says so`(
        limit: String, name: String
    ) async throws {
        try await withTemporaryDirectory { root in
            try FileManager.default.createDirectory(atPath: root + "/plugins.d", withIntermediateDirectories: true)
            let script = "echo 0 >/proc/sys/user/\(limit) && exec \(Program("gateway").path) serve --root \(root)"
            let gateway = try Program(path: "/usr/bin/env").start(
                ["unshare", "--user", "--map-root-user", "sh", "-c", script], errors: nil)
            defer { gateway.send(SIGKILL) }
            #expect(await gateway.errors.wait(for: "it is read every second instead"), "\(gateway.errors.text)")
            #expect(gateway.errors.text.contains("the limit \(name)"), "\(gateway.errors.text)")
            try Self.write(Self.manifest("likes", "a.sock"), to: root + "/plugins.d/likes.json")
            #expect(await gateway.errors.wait(for: "plugin likes at \(root)/run/a.sock was added"))
            try FileManager.default.removeItem(atPath: root + "/plugins.d/likes.json")
            #expect(await gateway.errors.wait(for: "plugin likes was removed"))
        }
    }

    /// The watches of a process by descriptor, from its own list.
    private static func watches() throws -> Int {
        let folder = "/proc/self/fdinfo"
        return try FileManager.default.contentsOfDirectory(atPath: folder).reduce(0) { count, name in
            // The descriptor may be closed by now.
            let text = (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""
            return max(count, text.components(separatedBy: "inotify wd:").count - 1)
        }
    }

    /// The events of inotify: the watched folder, and the name that the kernel pads with zeros.
    private static func events(_ events: [(watch: Int32, name: String)]) -> ByteBuffer {
        var buffer = ByteBuffer()
        for (watch, name) in events {
            let padding = name.isEmpty ? 0 : 16 - name.utf8.count % 16
            buffer.writeMultipleIntegers(
                watch, UInt32(0x100), UInt32(0), UInt32(name.utf8.count + padding), endianness: .host)
            buffer.writeString(name)
            buffer.writeRepeatingByte(0, count: padding)
        }
        return buffer
    }

    @Test(
        arguments: [
            ([(1, "plugins.in-force.new")], false),
            ([(1, "plugins.d-1"), (1, "plugins"), (1, "plugins.d.old")], false),
            ([(1, "plugins.d")], true), ([(1, "data"), (1, "plugins.d")], true), ([(2, "likes.json")], true),
            // The folder above was itself changed; a folder is no longer watched; the kernel's queue overflowed.
            ([(1, "")], true), ([(2, "")], true), ([(-1, "")], true), ([(1, "data"), (-1, "")], true),
        ] as [([(Int32, String)], Bool)])
    func `files beside the folder do not concern it`(events: [(Int32, String)], concerns: Bool) {
        let buffer = Self.events(events)
        #expect(FolderWatch.concern(buffer, above: 1, name: "plugins.d") == concerns)
        #expect(FolderWatch.concern(buffer, above: nil, name: "plugins.d"))
    }

    @Test func `a folder that was replaced is not watched any more`() async throws {
        try await FollowedFolder.with { folder in
            for number in 1...10 {
                #expect(rename(folder.path, "\(folder.path)-\(number)") == 0)
                await folder.wait(for: [:])
                try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
                try folder.write("likes", Self.manifest("likes", "\(number).sock"))
                await folder.wait(for: ["likes": "\(number).sock"])
            }
            // The folder and the one above it; other registries of this process have as many.
            #expect(try Self.watches() <= 2)
        }
    }
}
