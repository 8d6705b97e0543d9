import CommentsContract
import EdgeModel
import FeedContract
import Foundation
import GatewayContract
import ImageDataContract
import JSON
import RPC

/// Writes the feed into a folder that `import` takes back: the bytes of each image in a file, and a manifest.
///
/// The export can be repeated: it loads no image again whose file has the same bytes. The new manifest replaces the last one at
/// the end, so an interrupted export leaves the last complete manifest, or none. Memory holds one page of the feed, and the
/// comments and bytes of one image.
struct Exporter {
    let session: Session
    let folder: ExportFolder

    /// Called for every exported item, with the number of exported items.
    let progress: @Sendable (Int, String) -> Void

    /// Called for every image whose bytes cannot be loaded.
    let missing: @Sendable (FeedItem, RPCError) -> Void

    struct Summary: Sendable {
        var items = 0
        var comments = 0

        /// Images whose bytes were written. The others had complete files, or are missing.
        var written = 0

        /// Images without bytes.
        var missing = 0

        /// Images whose comments could not be read.
        var withoutComments = 0

        /// Whether the feed is that of another server, so that what is missing may be there.
        var isOfEdge = false
    }

    func run(_ summary: inout Summary) async throws {
        let manifest = try folder.beginManifest()
        var after: UUID?
        repeat {
            let load = LoadFeed(limit: LoadFeed.limits.upperBound, afterID: after)
            let page = try await session.call(FeedContract.load, load)
            if page.origin != .store { summary.isOfEdge = true }
            // An edge counts only the comments that it has; those of the others are at its upstream.
            let counts = summary.isOfEdge ? [:] : try await counts(of: page.items)
            for item in page.items {
                let comments =
                    summary.isOfEdge || counts[item.id] != nil ? try await comments(of: item, &summary) : []
                let file = try await save(item, &summary)
                try manifest.add(ImportEntry(item, file: file, comments: comments))
                summary.items += 1
                summary.comments += comments.count
                progress(summary.items, item.description ?? item.id.uuidString)
            }
            after = page.nextAfterID
        } while after != nil
        try manifest.finish()
    }

    // MARK: Bytes

    /// - Returns: the name of the file; nil when there are no bytes.
    private func save(_ item: FeedItem, _ summary: inout Summary) async throws -> String? {
        if let file = try await complete(item) { return file }
        let image: LoadedImage
        do throws(RPCError) {
            image = try await session.call(ImageDataContract.load, LoadImage(url: item.image))
        } catch {
            // Other errors concern the gateway or a whole service, not this image.
            guard error.service != nil, error.kind != .unavailable, error.kind != .overloaded else { throw error }
            summary.missing += 1
            missing(item, error)
            return nil
        }
        let file = ExportFolder.fileName(item.id, contentType: image.metadata.contentType)
        try folder.write(image.data.data, to: file)
        summary.written += 1
        return file
    }

    /// The file of an earlier export, if it has the bytes that the item has now.
    private func complete(_ item: FeedItem) async throws(RPCError) -> String? {
        guard let file = folder.file(of: item.id), let hash = folder.hash(of: file) else { return nil }
        do throws(RPCError) {
            let stored = try await session.call(ImageDataContract.stat, ImageSelection(url: item.image))
            return stored.sha256 == hash ? file : nil
        } catch {
            guard error.kind == .notFound else { throw error }
            return nil
        }
    }

    // MARK: Comments

    private func counts(of items: [FeedItem]) async throws(RPCError) -> [UUID: Int] {
        guard !items.isEmpty else { return [:] }
        return try await session.call(CommentsContract.counts, CommentedImages(imageIDs: items.map(\.id))).counts
    }

    private func comments(of item: FeedItem, _ summary: inout Summary) async throws(RPCError) -> [PostedComment] {
        var comments: [PostedComment] = []
        var after: UUID?
        do throws(RPCError) {
            repeat {
                let page = try await session.call(CommentsContract.list, ListComments(imageID: item.id, afterID: after))
                comments += page.items
                after = page.nextAfterID
            } while after != nil
        } catch {
            // The upstream of an edge does not answer, or not about this image.
            let isOfImage = [.notFound, .connectivity, .invalidData, .deadlineExceeded].contains(error.kind)
            guard summary.isOfEdge, isOfImage else { throw error }
            guard error.kind != .notFound else { return comments }
            summary.withoutComments += 1
            missing(item, error)
        }
        return comments
    }
}

extension ImportEntry {
    /// Without what `import` derives from the bytes again, so that every deployment with these bytes exports the same.
    /// - Parameter file: nil when there are no bytes.
    init(_ item: FeedItem, file: String?, comments: [PostedComment]) {
        self.init(
            file: file, id: item.id, description: item.description, location: item.location,
            comments: comments.map {
                Comment(id: $0.id, username: $0.author.username, message: $0.message, createdAt: $0.createdAt)
            },
            image: file != nil && item.hasImageOfDeployment ? nil : item.image, tags: item.tags,
            publishedAt: item.publishedAt, hints: file != nil ? PictureHints() : item.hints, details: item.details)
    }
}

extension FeedItem {
    /// Whether the URL of the image is that of bytes in a deployment: in this one, or in the upstream of this edge.
    fileprivate var hasImageOfDeployment: Bool {
        image.hasPrefix("urn:sha256:") || image.lowercased().hasSuffix(PublicURL.imageDataPath(id).lowercased())
    }
}
