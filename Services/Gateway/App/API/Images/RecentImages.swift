import Foundation
import NIOCore
import RPC
import ServiceKit
import Synchronization

/// Images that were asked for a moment ago. What many look at is asked of the services once, and its bytes are held once,
/// however many answers have them.
///
/// This is no cache that anybody has to know of: for so short a time only, and not beyond a change that passes through
/// the gateway, an answer is what the services would say.
final class RecentImages: Sendable {
    private struct Kept {
        let image: HeldImage
        let end: NIODeadline
    }

    /// What a change makes another.
    private struct Key: Hashable {
        let id: UUID
        let epoch: Int
    }

    /// Two generations, of which the older goes as a whole: that bounds both how much there is and how long, and costs the
    /// same however many there are.
    private struct Generations {
        var newer: [UUID: Kept] = [:]
        var older: [UUID: Kept] = [:]
        var newerBytes = 0
        var newerEnd = NIODeadline.distantPast
        var epoch = 0

        mutating func retire() {
            (older, newer, newerBytes) = (newer, [:], 0)
        }
    }

    private let limits: HTTPLimits
    private let now: @Sendable () -> NIODeadline
    private let generations = Mutex(Generations())
    private let flights = SingleFlight<Key, HeldImage>()

    init(_ limits: HTTPLimits, now: @escaping @Sendable () -> NIODeadline = { .now() }) {
        self.limits = limits
        self.now = now
    }

    /// The image of an item.
    /// - Parameter load: brings it, when it was not asked for a moment ago and nobody else is bringing it.
    func image(of id: UUID, _ load: () async throws(RPCError) -> HeldImage) async throws(RPCError) -> HeldImage {
        let (kept, epoch) = generations.withLock { ($0.newer[id] ?? $0.older[id], $0.epoch) }
        if let kept, now() < kept.end { return kept.image }
        do {
            return try await flights.value(of: Key(id: id, epoch: epoch)) {
                let image = try await load()
                keep(image, of: id, since: epoch)
                return image
            }
        } catch let error as RPCError {
            throw error
        } catch {
            throw RPCError(.cancelled, "nobody waits for it any more")
        }
    }

    /// Something may have changed: what was asked for before is asked for again.
    func forget() {
        generations.withLock { generations in
            generations = Generations(epoch: generations.epoch + 1)
        }
    }

    private func keep(_ image: HeldImage, of id: UUID, since epoch: Int) {
        let (size, now) = (image.bytes.readableBytes, now())
        let end = now + limits.recentImageTime
        generations.withLock { generations in
            guard generations.epoch == epoch, size <= limits.recentImageBytes / 2 else { return }
            if generations.newerEnd <= now || generations.newerBytes + size > limits.recentImageBytes / 2 {
                generations.retire()
                generations.newerEnd = end
            }
            generations.newer[id] = Kept(image: image.kept, end: end)
            generations.newerBytes += size
        }
    }
}
