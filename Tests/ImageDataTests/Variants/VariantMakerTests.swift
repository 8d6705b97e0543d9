import EdgeModel
import Foundation
import ImageData
import Processes
import RPC
import RPCTestKit
import ServiceKit
import Timing
import Testing

@testable import image_data_service

/// Making with a script in place of `vipsthumbnail`.
struct VariantMakerTests {
    private static let original = Data(count: 100_000)

    private func variant(_ number: Int, _ width: Int = 320) -> Variant {
        Variant(of: stored(number).record.hash, width: width, format: .png)
    }

    /// Makes a variant that is kept on a shelf; without one, it is not kept.
    private func make(
        _ maker: VariantMaker, _ number: Int = 1, _ width: Int = 320, _ shelf: VariantShelf = .memory(0)
    ) async throws -> StoredImage? {
        let original = stored(number, at: 5, age: 3).record
        return try await maker.variant(variant(number, width), of: original, on: shelf) { Self.original }
    }

    @Test func `a variant has its own hash and the time of its original`() async throws {
        try await withFake { fake async throws in
            let maker = fake.maker()
            try await maker.during { () async throws in
                let image = try await make(maker)
                #expect(image == stored(1, at: 5, age: 3))
                #expect(maker.check.status == .serving && maker.check.name == "variants")
            }
        }
    }

    /// The process may end before all callers have come. Those that are late find what it made.
    @Test func `one process serves all callers, and each width has its own`() async throws {
        try await withFake { fake async throws in
            let maker = fake.maker()
            let shelf = VariantShelf.memory(1_000_000)
            try await maker.during { () async throws in
                try await withThrowingTaskGroup(of: StoredImage?.self) { group in
                    for number in 0..<200 {
                        group.addTask { try await make(maker, 1, number % 2 == 0 ? 320 : 640, shelf) }
                    }
                    for try await image in group { #expect(image?.data == FakeThumbnailer.output) }
                }
                #expect(try await make(maker, 1, 320, shelf)?.data == FakeThumbnailer.output)
            }
            #expect(fake.runs.count == 2)
        }
    }

    @Test func `few processes run at a time, and the queue is bounded`() async throws {
        try await withFake("cat >/dev/null; sleep 600") { fake async throws in
            let maker = fake.maker()
            try await maker.during { () async throws in
                let full = TaskSemaphore.Load(running: 2, waiting: 64)
                let most = full.running + full.waiting
                let tasks = (1...most).map { number in Task { try await make(maker, number) } }
                await maker.slots.wait { $0 == full }
                await fake.wait(runs: full.running)
                #expect(fake.runs.count == full.running)
                // One more is served the original at once.
                #expect(try await make(maker, most + 1) == nil)
                for task in tasks { task.cancel() }
                for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
                await maker.slots.wait { $0 == .none }
                #expect(fake.running == 0)
            }
        }
    }

    @Test(arguments: [true, false]) func `the process is killed when its last caller is cancelled, and not before`(
        isLast: Bool
    ) async throws {
        try await withFake("cat >/dev/null; read x <$GO; cat $OUT") { fake async throws in
            let maker = fake.maker()
            try await maker.during { () async throws in
                let tasks = (0..<3).map { _ in Task { try await make(maker) } }
                await maker.variants.wait(for: .init(variant: variant(1), tiers: .hot)) { $0 == tasks.count }
                await fake.wait(runs: 1)
                let leaving = isLast ? tasks : tasks.dropLast()
                for task in leaving { task.cancel() }
                for task in leaving { await #expect(throws: CancellationError.self) { try await task.value } }
                if isLast { await maker.slots.wait { $0 == .none } }
                #expect(fake.running == (isLast ? 0 : 1))
                fake.go()
                // A cancelled picture can be made again.
                #expect(try await (isLast ? make(maker) : tasks[2].value) != nil)
                #expect(fake.runs.count == (isLast ? 2 : 1))
            }
        }
    }

    @Test func `the end of the service kills the processes`() async throws {
        try await withFake("cat >/dev/null; sleep 600") { fake async throws in
            let maker = fake.maker()
            let task = await maker.during {
                let task = Task { try await make(maker) }
                await fake.wait(runs: 1)
                return task
            }
            #expect(fake.running == 0)
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test(arguments: [
        "cat >/dev/null; echo cannot read it >&2; exit 1", "exit 0", "cat >/dev/null; echo no picture",
        "cat >/dev/null; head -c 50 $OUT", "kill -11 $$",
    ])
    func `a picture that fails is not tried again, and others are`(script: String) async throws {
        // The picture on which the program must always succeed has fewer bytes.
        let script = "if [ $(head -c 1000 | wc -c) -lt 1000 ]; then cat $OUT; exit; fi; " + script
        try await withFake(script) { fake async throws in
            let log = RecordedLog()
            let maker = fake.maker(log: log)
            try await maker.during { () async throws in
                #expect(try await make(maker) == nil)
                #expect(try await make(maker) == nil)
                #expect(try await make(maker, 1, 640) == nil)
                #expect(maker.isRefused(variant(1).original) && !maker.isRefused(variant(2).original))
                #expect(fake.runs.count == 1 && fake.running == 0)
                #expect(log.lines.count == 1 && log.lines[0].contains(variant(1).original.urn))
                try fake.change(to: "cat >/dev/null; cat $OUT")
                #expect(try await make(maker, 2) != nil)
                #expect(maker.check.status == .serving)
            }
        }
    }

    @Test func `a picture that takes too long is not tried again`() async throws {
        try await withFake("sleep 600") { fake async throws in
            let log = RecordedLog()
            let maker = fake.maker(timeLimit: .zero, log: log)
            try await maker.during { () async throws in
                for _ in 0..<3 { #expect(try await make(maker) == nil) }
                #expect(maker.isRefused(variant(1).original))
                #expect(log.lines == ["no variants of \(variant(1).original.urn): \(LimitedProcess.Failure.timedOut)"])
            }
        }
    }

    @Test func `a variant that is not smaller than its original is not tried again, and is no failure`() async throws {
        try await withFake("cat >/dev/null; head -c 200000 /dev/zero") { fake async throws in
            let log = RecordedLog()
            let maker = fake.maker(log: log)
            try await maker.during { () async throws in
                for _ in 0..<3 { #expect(try await make(maker) == nil) }
                #expect(fake.runs.count == 1)
                #expect(!maker.isRefused(variant(1).original) && maker.check.status == .serving && log.lines.isEmpty)
                _ = try await make(maker, 1, 640)
                #expect(fake.runs.count == 2)
            }
        }
    }

    @Test(arguments: [(cmyk, true), (Data(PNGBytes.animatedWithDefaultImage), false)])
    func `a picture that would look different is not tried again, and is no failure`(
        original: Data, hasPlaceholder: Bool
    ) async throws {
        try await withFake { fake async throws in
            let log = RecordedLog()
            let maker = fake.maker(log: log)
            try await maker.during { () async throws in
                let reads = Watched(0)
                for _ in 0..<3 {
                    let made = try await maker.variant(variant(1), of: stored(1).record, on: .memory(0)) {
                        reads.withLock { $0 += 1 }
                        return original
                    }
                    #expect(made == nil)
                }
                #expect(reads.withLock(\.self) == 1)
                let facts = PictureFacts(width: 9, height: 9, frames: 1)
                let placeholder = try await maker.placeholder(of: variant(1).original, facts) { original }
                #expect((placeholder != nil) == hasPlaceholder)
                #expect(maker.isRefused(variant(1).original) != hasPlaceholder)
                #expect(maker.check.status == .serving && log.lines.isEmpty)
            }
        }
    }

    /// A JPEG of four colours.
    private static let cmyk: Data = {
        let frame = JPEGBytes.segment(0xC0, [8] + be16(12) + be16(16) + [4] + (1...4).flatMap { [$0, 0x11, 0] })
        return Data(JPEGBytes.start + frame + JPEGBytes.scan() + JPEGBytes.end)
    }()

    @Test func `a program that always fails is reported with the remedy, until it succeeds`() async throws {
        try await withFake("cat >/dev/null; echo broken >&2; exit 1") { fake async throws in
            let log = RecordedLog()
            let maker = fake.maker(log: log)
            try await maker.during { () async throws in
                for number in 1..<VariantMaker.failuresInARow { _ = try await make(maker, number) }
                #expect(maker.check.status == .serving)
                _ = try await make(maker, VariantMaker.failuresInARow)
                let check = maker.check
                #expect(check.status == .degraded && check.detail?.contains("libvips-tools") == true)
                #expect(check.detail?.contains("broken") == true)
                #expect(log.lines.count { $0.contains("libvips-tools") } == 1)
                try fake.change(to: "cat >/dev/null; cat $OUT")
                #expect(try await make(maker, 9) != nil)
                #expect(maker.check.status == .serving && log.lines.last == "variants are made again")
            }
        }
    }

    @Test func `many unreadable pictures are not the program's fault`() async throws {
        try await withFake("if [ $(head -c 1000 | wc -c) -lt 1000 ]; then cat $OUT; else exit 1; fi") {
            fake async throws in
            let maker = fake.maker()
            try await maker.during { () async throws in
                for number in 1...10 { _ = try await make(maker, number) }
                #expect(maker.check.status == .serving)
            }
        }
    }

    @Test func `a program that cannot be started is reported, and the picture is tried again`() async throws {
        try await withFake { fake async throws in
            let maker = fake.maker()
            try FileManager.default.removeItem(atPath: fake.path)
            try await maker.during { () async throws in
                #expect(try await make(maker) == nil)
                #expect(maker.check.status == .degraded)
                try fake.link()
                #expect(try await make(maker) != nil)
                #expect(maker.check.status == .serving)
            }
        }
    }

    @Test func `without the program nothing is made, and the check names the package`() async throws {
        let maker = VariantMaker(nil, logger: RecordedLog().logger, now: { moment(0) })
        try await maker.during { () async throws in
            #expect(try await make(maker) == nil)
            #expect(maker.check.status == .degraded && maker.check.detail?.contains("libvips-tools") == true)
        }
    }

    @Test func `an original that was evicted in the meantime has no variant, and can be tried again`() async throws {
        try await withFake { fake async throws in
            let maker = fake.maker()
            try await maker.during { () async throws in
                #expect(try await maker.variant(variant(1), of: stored(1).record, on: .memory(0), from: { nil }) == nil)
                #expect(try await make(maker) != nil)
            }
        }
    }

    @Test func `a placeholder is made of the pixels of a PPM`() async throws {
        try await withFake { fake async throws in
            let maker = fake.maker()
            try await maker.during { () async throws in
                let facts = PictureFacts(width: 9, height: 9, frames: 1)
                let placeholder = try await maker.placeholder(of: variant(1).original, facts) { Self.original }
                #expect(placeholder?.columns == 3 && placeholder?.rows == 4)
                #expect(placeholder?.pixels == Data(String(repeating: "a", count: 36).utf8))
            }
        }
    }

    @Test(arguments: [
        "P6\\n3 4\\n255\\nabc", "P5\\n3 4\\n255\\nabcabcabcabcabcabcabcabcabcabcabcabc", "", "P6\\n255\\n",
    ])
    func `an output that is no such PPM is a failure`(output: String) async throws {
        try await withFake("cat >/dev/null; printf '\(output)'") { fake async throws in
            let maker = fake.maker()
            try await maker.during { () async throws in
                let facts = PictureFacts(width: 9, height: 9, frames: 1)
                #expect(try await maker.placeholder(of: variant(1).original, facts) { Self.original } == nil)
                #expect(maker.isRefused(variant(1).original))
            }
        }
    }
}

extension VariantShelf {
    /// A shelf in memory, with a budget in bytes.
    fileprivate static func memory(_ budget: Int) -> VariantShelf {
        let cold = ColdImages(cache: nil, logger: RecordedLog().logger)
        return VariantShelf(ImageCaches(hot: HotImages(budget: budget), cold: cold), url: "http://a/1", tiers: .hot)
    }
}
