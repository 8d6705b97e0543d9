import CommentsContract
import Crypto
import FeedContract
import Foundation
import ImageDataContract
import RPC

/// Publishes a folder of images with their comments. All ids are derived from the folder's content, so importing twice
/// changes nothing, and a second import completes an interrupted one.
struct Importer {
    let session: Session
    let folder: ImportFolder

    /// Called for every processed image, with the number of processed images.
    let progress: @Sendable (Int, String) -> Void

    /// Called for every rejected image or comment, at once, so that the user sees it even if the import is interrupted.
    let refused: @Sendable (_ file: String, _ reason: String) -> Void

    /// The number of images that are read and stored concurrently: enough to keep the services busy with little memory.
    private static let parallelism = 4

    struct Summary: Sendable {
        var published = 0
        var present = 0
        var comments = 0
        var refused = 0
    }

    /// An image whose bytes are stored.
    private struct Stored: Sendable {
        let entry: ImportEntry
        let item: FeedItem
    }

    func run(_ entries: [ImportEntry]) async throws -> Summary {
        var summary = Summary()
        let stored = refuseRepeated(try await store(entries, &summary), &summary)
        // The last item is published first, so that the first one becomes the top of the feed.
        for chunk in stored.chunks(of: FeedContract.maximumBatch).reversed() { try await publish(chunk, &summary) }
        for picture in stored { try await comment(picture, &summary) }
        return summary
    }

    private func refuse(_ file: String, _ reason: String, _ summary: inout Summary) {
        summary.refused += 1
        refused(file, reason)
    }

    // MARK: Bytes

    private func store(_ entries: [ImportEntry], _ summary: inout Summary) async throws -> [Stored] {
        var stored: [Stored?] = Array(repeating: nil, count: entries.count)
        try await withThrowingTaskGroup(of: (Int, Result<Stored, RPCError>).self) { group in
            var next = 0
            var done = 0
            func add() {
                guard next < entries.count else { return }
                let index = next
                next += 1
                group.addTask { (index, try await store(entries[index])) }
            }
            for _ in 0..<Self.parallelism { add() }
            while let (index, outcome) = try await group.next() {
                switch outcome {
                case .success(let picture): stored[index] = picture
                case .failure(let error): refuse(entries[index].file, error.message, &summary)
                }
                done += 1
                progress(done, entries[index].file)
                add()
            }
        }
        return stored.compactMap(\.self)
    }

    /// - Throws: an error that ends the import. An error of this image alone is a result.
    private func store(_ entry: ImportEntry) async throws(RPCError) -> Result<Stored, RPCError> {
        do throws(RPCError) {
            let bytes = try folder.picture(entry).read()
            let answer = try await session.call(ImageDataContract.put, PutImage(data: bytes, url: nil))
            let id = entry.id ?? UUID(namespace: .imports, name: "\(entry.file)\n\(answer.sha256)")
            let item = FeedItem(
                id: id, description: entry.description, location: entry.location, image: answer.url,
                hints: answer.hints)
            return .success(Stored(entry: entry, item: item))
        } catch {
            guard error.isAboutThisPicture else { throw error }
            return .failure(error)
        }
    }

    private func refuseRepeated(_ stored: [Stored], _ summary: inout Summary) -> [Stored] {
        var seen: Set<UUID> = []
        return stored.filter { picture in
            guard seen.insert(picture.item.id).inserted else {
                let id = picture.item.id.uuidString
                refuse(picture.entry.file, "its id \(id) is in the list more than once", &summary)
                return false
            }
            return true
        }
    }

    // MARK: Feed

    private func publish(_ pictures: [Stored], _ summary: inout Summary) async throws {
        do throws(RPCError) {
            let count = try await session.call(FeedContract.publish, PublishedItems(items: pictures.map(\.item))).count
            summary.published += count
            summary.present += pictures.count - count
        } catch {
            guard error.isAboutThisPicture else { throw error }
            guard pictures.count > 1 else {
                for picture in pictures {
                    refuse(picture.entry.file, error.message, &summary)
                }
                return
            }
            // At least one item is invalid. Publishing one by one, from the last, shows which.
            for picture in pictures.reversed() { try await publish([picture], &summary) }
        }
    }

    // MARK: Comments

    private func comment(_ picture: Stored, _ summary: inout Summary) async throws {
        for (index, comment) in picture.entry.comments.enumerated() {
            let name = "\(picture.item.id.uuidString)\n\(index)\n\(comment.username)\n\(comment.message)"
            let request = PostComment(
                imageID: picture.item.id, message: comment.message, username: comment.username,
                id: UUID(namespace: .imports, name: name), createdAt: comment.createdAt)
            do throws(RPCError) {
                _ = try await session.call(CommentsContract.post, request)
                summary.comments += 1
            } catch {
                guard error.isAboutThisPicture else { throw error }
                refuse(picture.entry.file, "comment \(index + 1): \(error.message)", &summary)
            }
        }
    }
}

extension RPCError {
    /// Whether the error concerns only this image, so that the import can continue.
    fileprivate var isAboutThisPicture: Bool {
        switch kind {
        case .invalidData, .invalidParams, .tooLarge, .notFound, .alreadyExists: true
        default: false
        }
    }
}

extension Array {
    fileprivate func chunks(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
