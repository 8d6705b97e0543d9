import ServiceKit
import Testing

/// A store in memory: numbers in the order in which they were added.
private actor Numbers: CopiedStore {
    struct Entry: CopiedEntry {
        let number: Int
        var bytes: [UInt8] { Array("\(number)".utf8) }
    }

    private(set) var entries: [(place: Int64, entry: Entry)] = []
    private var had: Set<Int> = []

    /// Called before a page is read.
    private var reading: @Sendable (Numbers) async -> Void = { _ in }

    init(_ numbers: some Sequence<Int> = []) {
        for number in numbers {
            entries.append((Int64(entries.count), Entry(number: number)))
            had.insert(number)
        }
    }

    var numbers: [Int] { entries.map(\.entry.number) }

    func onReading(_ body: @escaping @Sendable (Numbers) async -> Void) { reading = body }

    func add(numbers: [Int]) { add(numbers.map(Entry.init)) }

    func entries(after place: Int64, limit: Int) async -> [(place: Int64, entry: Entry)] {
        await reading(self)
        return Array(entries.filter { $0.place > place }.prefix(limit))
    }

    func add(_ new: [Entry]) {
        for entry in new {
            entries.append(((entries.last?.place ?? 0) + 1, entry))
            had.insert(entry.number)
        }
    }

    func remove(_ old: [Entry]) { entries.removeAll { old.contains($0.entry) } }

    func hasHad(_ entry: Entry) -> Bool { had.contains(entry.number) }
}

@Suite struct StoreCopyTests {
    private static let page = StoreCopyLimits.entriesAtOnce

    @Test(arguments: [0, 1, 2, page - 1, page, page + 1, 3 * page + 7])
    func `a copy has the same entries in the same order`(count: Int) async throws {
        let (source, target) = (Numbers(0..<count), Numbers())
        let proof = try await StoreCopy(from: source, to: target).run()
        #expect(proof.count == count)
        #expect(await target.numbers == Array(0..<count))
    }

    @Test(arguments: [0, 1, page, page + 1, 2 * page]) func `an interrupted copy is continued`(count: Int) async throws
    {
        let (source, target) = (Numbers(0..<2 * Self.page), Numbers(0..<count))
        _ = try await StoreCopy(from: source, to: target).run()
        #expect(await target.numbers == Array(0..<2 * Self.page))
    }

    @Test(arguments: [[], [0], [1, 150, 299], Array(0..<300), Array(100..<201)])
    func `what was removed or added since is removed or added in the copy`(removed: [Int]) async throws {
        let (source, target) = (Numbers(0..<300), Numbers(0..<300))
        await source.remove(removed.map(Numbers.Entry.init))
        await source.add(numbers: [7_000] + removed.suffix(2))
        _ = try await StoreCopy(from: source, to: target).run()
        #expect(await target.numbers == source.numbers)
    }

    @Test(arguments: [0, 50, 99, 100, 150, 250])
    func `a target with what the source never had is refused and stays`(place: Int) async {
        // In another order: what is not at its place would be removed.
        var numbers = Array((0..<250).reversed())
        numbers.insert(7_000, at: place)
        let (source, target) = (Numbers(0..<300), Numbers(numbers))
        await #expect(throws: StoreCopyRefusal.foreign) { try await StoreCopy(from: source, to: target).run() }
        #expect(await target.numbers == numbers)
    }

    @Test func `what is added while a copy is compared is copied`() async throws {
        let (source, target) = (Numbers(0..<10), Numbers())
        await source.onReading { if await $0.entries.count < 12 { await $0.add(numbers: [await $0.entries.count]) } }
        let proof = try await StoreCopy(from: source, to: target).run()
        #expect(proof.count == 12)
        #expect(await target.numbers == Array(0..<12))
    }

    @Test func `a source that is always written to is not waited for`() async throws {
        let (source, target) = (Numbers(0..<10), Numbers())
        await target.onReading { _ in await source.add(numbers: [await source.entries.count]) }
        await #expect(throws: StoreCopyRefusal.changing) { try await StoreCopy(from: source, to: target).run() }
        await target.onReading { _ in }
        _ = try await StoreCopy(from: source, to: target).run()
        #expect(await target.numbers == source.numbers)
    }

    @Test func `a proof names the number of entries, and depends on each and on their order`() {
        func proof(_ entries: [[UInt8]]) -> StoreProof {
            var reading = StoreProof.Reading()
            for entry in entries { reading.add(entry) }
            return reading.proof
        }
        let none = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        #expect(proof([]) == StoreProof(count: 0, sha256: none))
        let proofs = [
            proof([]), proof([[]]), proof([[1, 2]]), proof([[1], [2]]), proof([[2], [1]]), proof([[1, 2], []]),
        ]
        #expect(Set(proofs.map(\.sha256)).count == proofs.count)
        #expect(proofs.map(\.count) == [0, 1, 1, 2, 2, 2])
    }
}
