import Foundation
import HTTPTypes
import NIOCore
import RPC

extension API {
    /// Answers with the image of a feed item, or with `?w=` with a smaller variant. The API fetches no other images.
    func imageData(
        of id: UUID, _ query: Query, _ request: HTTPRequest, _ options: CallOptions
    ) async throws(RPCError) -> HTTPAnswer {
        let wanted = try WantedPicture(id: id, query, request.headerFields)
        let image = try await gateway.pictures.picture(wanted, options)
        var answer = HTTPAnswer(.ok)
        let tag = EntityTag(image.sha256)
        answer.fields[.contentType] = image.contentType
        answer.fields[.contentDisposition] = image.disposition
        answer.fields[.eTag] = "\(tag)"
        answer.fields[.acceptRanges] = "bytes"
        answer.fields[.xContentTypeOptions] = "nosniff"
        // The original is the same for all clients.
        if query.has("w") { answer.fields[.vary] = WantedPicture.fields }
        answer.fields[.cacheControl] = Self.cacheControl(of: image, now: gateway.now())
        Freshness(image, now: gateway.now()).apply(to: &answer.fields)
        if tag.isNamed(in: request.headerFields[.ifNoneMatch] ?? "") { return answer.notModified() }
        return answer.with(
            image.bytes, as: Self.range(of: image.bytes.readableBytes, tag, request), options.trace)
    }

    /// The `Cache-Control` header of an image.
    ///
    /// The URL identifies the item, not the bytes: an item can be removed and published again with another image, and
    /// an upstream can replace the image at its URL. So the lifetime is limited, and the entity tag makes revalidation
    /// cheap. Stale bytes must be revalidated.
    ///
    /// `max-age` counts from the same moment as `Age` (RFC 9111 §4.2): an answer may be used for `imageLifetime` from
    /// now, however old its bytes are, but not beyond their time to live.
    static func cacheControl(of image: HeldImage, now: Date) -> String {
        guard !image.isStale else { return "no-cache" }
        let timeLeft = image.expiresAt.map { max(0, Int($0.timeIntervalSince(now))) } ?? .max
        let age = Freshness(image, now: now).age ?? 0
        return "public, max-age=\(age + min(timeLeft, HTTPLimits.imageLifetime))"
    }

    private static func range(of size: Int, _ tag: EntityTag, _ request: HTTPRequest) -> ByteRange {
        guard request.method == .get, let range = request.headerFields[.range] else { return .whole }
        if let condition = request.headerFields[.ifRange], !tag.isExactly(condition) { return .whole }
        return ByteRange(range, size: size)
    }
}

extension HTTPAnswer {
    /// The answer with the requested range of the bytes.
    fileprivate func with(_ bytes: ByteBuffer, as range: ByteRange, _ trace: TraceContext) -> HTTPAnswer {
        var answer = self
        switch range {
        case .whole: answer.body = bytes
        case .part(let part):
            answer.status = .partialContent
            answer.fields[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(bytes.readableBytes)"
            // A copy, because a slice would hold the whole buffer in memory.
            answer.body = ByteBuffer(bytes: bytes.readableBytesView.dropFirst(part.lowerBound).prefix(part.count))
        case .unsatisfiable:
            let detail = "the range is beyond the end of the image, which has \(bytes.readableBytes) bytes"
            answer = HTTPAnswer(Problem(.invalidParams, detail, status: 416, trace: trace))
            answer.fields[.contentRange] = "bytes */\(bytes.readableBytes)"
        }
        return answer
    }
}
