import CommentsContract
import EdgeModel
import FeedContract
import Foundation
import JSON
import ImageDataContract
import RPC

/// Publishes a folder of images with their comments. All ids are derived from the folder's content, so importing twice
/// changes nothing, and a second import completes an interrupted one.
///
/// The images are stored, published and commented in batches: memory holds the bytes of at most `parallelism` images, besides the
/// manifest and the refusals. Everything is done from the last image up, so that a stopped import has published the end of the list,
/// and a second one puts the rest above it.
struct Importer {
    let session: Session
    let folder: ImportFolder

    /// Whether pictures keep the position in their metadata.
    let keepsPositions: Bool

    /// Whether nothing is written: what would be imported is counted, and what would be refused is refused.
    var isTrial = false
    let stop: Interruption.Stop

    /// Called for every processed image, with the number of processed images.
    let progress: @Sendable (Int, String) -> Void

    /// Called for every rejected image or comment, at once, so that the user sees it even if the import is interrupted.
    let refused: @Sendable (Refusal) -> Void

    /// The number of images that are read and stored concurrently: enough to keep the services busy with little memory.
    private static let parallelism = 4

    struct Summary: Sendable {
        var published = 0
        var present = 0
        var comments = 0

        /// Those of `present` that are in the feed without tags or texts, because an earlier version imported them without these.
        var incomplete = 0
        var refusals: [Refusal] = []

        /// Pictures whose metadata had a position.
        var positions = 0

        /// The number of processed images, including refused ones.
        var done = 0

        /// The names of the published images, from the top of the feed down. Only a trial has them.
        var planned: [String] = []
    }

    /// A rejected image or comment.
    struct Refusal: Sendable, Equatable {
        let file: String

        /// In English.
        let reason: String

        var cause = Cause.post

        enum Cause: Sendable, Equatable {
            /// An entry of a list that is not imported.
            case post
            /// It is in the list more than once.
            case twice
            case image(ErrorKind)
            /// The feed has another item with its id.
            case conflict(UUID)
            case comment(Int, ErrorKind)
        }
    }

    /// An image whose bytes are stored.
    private struct Stored: Sendable {
        let entry: ImportEntry
        let item: FeedItem
        var hadPosition = false

        /// The item as an earlier version published it, without the texts of the picture's file.
        var earlier: FeedItem?

        /// Whether the item that the feed has lacks only tags, or what the file says.
        func isEarlier(_ stored: FeedItem) throws(RPCError) -> Bool {
            if stored.lacksOnlyTags(of: try Importer.authored(item)) { return true }
            guard let earlier, !stored.hasContent(of: try Importer.authored(item)) else { return false }
            let plain = try Importer.authored(earlier)
            return stored.hasContent(of: plain) || stored.lacksOnlyTags(of: plain)
        }
    }

    /// - Parameter summary: what was imported, also after an error that ends the import.
    func run(_ entries: [ImportEntry], _ summary: inout Summary) async throws {
        progress(0, entries.last?.name ?? "")
        // The last batch is published first, so that the first image becomes the top of the feed.
        let batches = refuseUnusable(entries, &summary).chunks(of: FeedContract.maximumBatch)
        for (index, batch) in batches.enumerated().reversed() {
            let stored = try await store(batch, isTop: index == 0, &summary)
            let published = isTrial ? try await plan(stored, &summary) : try await publish(stored, &summary)
            for picture in published { try await comment(picture, &summary) }
            if stop.isWanted, summary.done < entries.count { throw RPCError(.cancelled, "interrupted", begun: false) }
        }
    }

    private func refuse(_ file: String, _ reason: String, _ cause: Refusal.Cause, _ summary: inout Summary) {
        let refusal = Refusal(file: file, reason: reason, cause: cause)
        summary.refusals.append(refusal)
        refused(refusal)
    }

    /// Refuses what is not an image, and what is in the list more than once.
    private func refuseUnusable(_ entries: [ImportEntry], _ summary: inout Summary) -> [ImportEntry] {
        var (files, ids) = (Set<String>(), Set<UUID>())
        return entries.filter { entry in
            if let refusal = entry.refusal {
                refuse(entry.name, refusal, .post, &summary)
                // Without an id, the same file has the same derived id.
            } else if let id = entry.id, !ids.insert(id).inserted {
                refuse(entry.name, "its id \(id.uuidString) is in the list more than once", .twice, &summary)
            } else if entry.id == nil, !files.insert(entry.name).inserted {
                refuse(entry.name, "it is in the list more than once, without an id", .twice, &summary)
            } else {
                return true
            }
            summary.done += 1
            return false
        }
    }

    // MARK: Bytes

    /// - Parameter isTop: whether these images become the top of the feed.
    /// - Returns: the images that are stored, without those that were not begun because the import is to stop.
    private func store(_ entries: [ImportEntry], isTop: Bool, _ summary: inout Summary) async throws -> [Stored] {
        var stored: [Stored?] = Array(repeating: nil, count: entries.count)
        try await withThrowingTaskGroup(of: (Int, Result<Stored, RPCError>).self) { group in
            var next = entries.count - 1
            func add() {
                guard next >= 0, !stop.isWanted else { return }
                let index = next
                next -= 1
                group.addTask { (index, try await store(entries[index], isTop: isTop)) }
            }
            for _ in 0..<Self.parallelism { add() }
            while let (index, outcome) = try await group.next() {
                switch outcome {
                case .success(let picture):
                    stored[index] = picture
                    if picture.hadPosition { summary.positions += 1 }
                case .failure(let error): refuse(entries[index].name, error.message, .image(error.kind), &summary)
                }
                summary.done += 1
                progress(summary.done, entries[index].name)
                add()
            }
        }
        return stored.compactMap(\.self)
    }

    /// - Throws: an error that ends the import. An error of this image alone is a result.
    private func store(_ entry: ImportEntry, isTop: Bool) async throws(RPCError) -> Result<Stored, RPCError> {
        do throws(RPCError) {
            guard let file = entry.file else {
                let id = entry.id ?? UUID(namespace: .imports, name: entry.name)
                let item = FeedItem(
                    id: id, description: entry.description, location: entry.location, image: entry.name,
                    tags: entry.tags, publishedAt: entry.publishedAt, hints: entry.hints, details: entry.details)
                return .success(Stored(entry: entry, item: item))
            }
            let picture = try await folder.picture(file).prepared(keepingPosition: keepsPositions)
            // An export has all texts of its items.
            let texts = folder.isExport ? PictureTexts() : picture.texts
            // Most of the time of an import would be that of making placeholders. Only the first page of readers needs them at
            // once.
            let put = PutImage(
                data: Bytes(picture.data), url: entry.image,
                defersPlaceholder: !isTop || entry.hints.placeholder != nil, isTrial: isTrial)
            let answer = try await session.call(ImageDataContract.put, put)
            let id = entry.id ?? UUID(namespace: .imports, name: "\(file)\n\(answer.sha256)")
            func item(_ entry: ImportEntry) -> FeedItem {
                FeedItem(
                    id: id, description: entry.description, location: entry.location, image: answer.url,
                    tags: entry.tags, publishedAt: entry.publishedAt, hints: answer.hints.completed(by: entry.hints),
                    details: entry.details)
            }
            let (plain, full) = (item(entry.completed(by: PictureTexts())), item(entry.completed(by: texts)))
            return .success(
                Stored(
                    entry: entry, item: full, hadPosition: picture.hadPosition, earlier: plain == full ? nil : plain))
        } catch {
            guard error.isAboutThisPicture else { throw error }
            return .failure(error)
        }
    }

    // MARK: Feed

    /// Compares the images with those of the feed, and publishes none.
    /// - Returns: the images that would be in the feed.
    private func plan(_ pictures: [Stored], _ summary: inout Summary) async throws -> [Stored] {
        var (names, planned): ([String], [Stored]) = ([], [])
        for picture in pictures {
            do throws(RPCError) {
                let item = try Self.authored(picture.item)
                let stored = try await session.call(FeedContract.get, FeedItemSelection(id: item.id)).item
                let isEarlier = try picture.isEarlier(stored)
                guard isEarlier || stored.hasContent(of: item) else {
                    refuseConflict(picture, &summary)
                    continue
                }
                summary.present += 1
                if isEarlier { summary.incomplete += 1 }
            } catch {
                switch error.kind {
                case .notFound: names.append(picture.entry.name)
                case .invalidParams:
                    refuse(picture.entry.name, error.message, .image(error.kind), &summary)
                    continue
                default: throw error
                }
            }
            planned.append(picture)
        }
        summary.published += names.count
        summary.planned = names + summary.planned
        return planned
    }

    private func refuseConflict(_ picture: Stored, _ summary: inout Summary) {
        let id = picture.item.id
        let reason =
            "the feed has another item with the id \(id.uuidString); to replace it, run gateway remove \(id.uuidString) and import again"
        refuse(picture.entry.name, reason, .conflict(id), &summary)
    }

    /// The item as the feed stores it: trimmed.
    /// - Throws: the error with which the feed refuses it.
    fileprivate static func authored(_ item: FeedItem) throws(RPCError) -> FeedItem {
        do throws(JSONError) {
            let items = PublishedItems(items: [item])
            return try RawJSON(items, as: PublishedItems.codec).read(as: PublishedItems.codec).items[0]
        } catch {
            throw RPCError(invalidParams: error)
        }
    }

    /// - Returns: the images that are in the feed now. The comments of the others would belong to nothing, or to another image.
    private func publish(_ pictures: [Stored], _ summary: inout Summary) async throws -> [Stored] {
        guard !pictures.isEmpty else { return [] }
        do throws(RPCError) {
            let count = try await session.call(FeedContract.publish, PublishedItems(items: pictures.map(\.item))).count
            summary.published += count
            summary.present += pictures.count - count
            return pictures
        } catch {
            guard error.isAboutThisPicture else { throw error }
            guard pictures.count > 1 else {
                if error.kind == .alreadyExists, try await isEarlier(pictures[0]) {
                    summary.present += 1
                    summary.incomplete += 1
                    return pictures
                }
                if error.kind == .alreadyExists {
                    refuseConflict(pictures[0], &summary)
                } else {
                    refuse(pictures[0].entry.name, error.message, .image(error.kind), &summary)
                }
                return []
            }
            // At least one item is invalid. Publishing one by one, from the last, shows which.
            var published: [Stored] = []
            for picture in pictures.reversed() { published += try await publish([picture], &summary) }
            return published
        }
    }

    /// Whether the feed has the item as an earlier version imported it.
    private func isEarlier(_ picture: Stored) async throws(RPCError) -> Bool {
        try picture.isEarlier(await session.call(FeedContract.get, FeedItemSelection(id: picture.item.id)).item)
    }

    // MARK: Comments

    private func comment(_ picture: Stored, _ summary: inout Summary) async throws {
        // A comment without an id gets one of what it says, so that a longer list doubles nothing; the same said twice counts.
        var seen: [String: Int] = [:]
        func refuse(_ number: Int, _ reason: String, _ kind: ErrorKind) {
            self.refuse(picture.entry.name, "comment \(number): \(reason)", .comment(number, kind), &summary)
        }
        func derivedID(of comment: ImportEntry.Comment) -> UUID {
            let date = comment.createdAt.map(WireDate.format) ?? ""
            let content = "\(picture.item.id.uuidString)\n\(comment.username)\n\(date)\n\(comment.message)"
            let count = seen[content, default: 0]
            seen[content] = count + 1
            return UUID(namespace: .imports, name: count == 0 ? content : "\(content)\n\(count)")
        }
        for (index, comment) in picture.entry.comments.enumerated() {
            if let reason = comment.refusal {
                refuse(index + 1, reason, .invalidParams)
                continue
            }
            let request = PostComment(
                imageID: picture.item.id, message: comment.message, username: comment.username,
                id: comment.id ?? derivedID(of: comment), createdAt: comment.createdAt)
            do throws(RPCError) {
                if isTrial { try check(request) } else { _ = try await session.call(CommentsContract.post, request) }
                summary.comments += 1
            } catch {
                guard error.isAboutThisPicture else { throw error }
                refuse(index + 1, error.message, error.kind)
            }
        }
    }

    /// - Throws: the error with which the service refuses the comment.
    private func check(_ comment: PostComment) throws(RPCError) {
        do throws(JSONError) {
            _ = try RawJSON(comment, as: PostComment.codec).read(as: PostComment.codec)
        } catch {
            throw RPCError(invalidParams: error)
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

extension FeedItem {
    private func hasTexts(of other: FeedItem) -> Bool {
        description == other.description && location == other.location && image == other.image
    }

    /// Whether publishing the other item changes at most what is missing here.
    fileprivate func hasContent(of other: FeedItem) -> Bool {
        hasTexts(of: other) && ItemTags.areEqual(tags, other.tags) && details.agrees(with: other.details)
    }

    fileprivate func lacksOnlyTags(of other: FeedItem) -> Bool {
        tags.isEmpty && !other.tags.isEmpty && hasTexts(of: other)
    }
}

extension Array {
    fileprivate func chunks(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
