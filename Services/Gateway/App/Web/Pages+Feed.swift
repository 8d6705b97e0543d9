import EdgeModel
import FeedContract
import Foundation
import GatewayContract
import HTTPTypes
import Presentation
import RPC

extension Pages {
    /// A page of the feed.
    func feed(
        _ load: LoadFeed, _ reader: Reader, _ options: CallOptions
    ) async throws(RPCError) -> HTTPAnswer {
        let sized = LoadFeed(
            limit: load.limit ?? Self.pageSize(reader.layout), afterID: load.afterID, beforeID: load.beforeID)
        let loaded = gateway.presented(
            try await gateway.shownPage(sized, fallsBack: !reader.isScript, options), sized,
            countsNone: sessions != nil, in: reader.language)
        let isFirst = load.afterID == nil && load.beforeID == nil
        if load.beforeID != nil, loaded.page.items.isEmpty { return .seeOther(path("/")) }
        let texts = Texts(reader.language)
        let limit = load.limit.map { "&limit=\($0)" } ?? ""
        let isLoopback = publicURL.description.contains("//127.0.0.1") || publicURL.description.contains("//localhost")
        // A row leads to the form for comments even if their number is not known.
        let comments = sessions != nil && loaded.origin == .store ? ["comments": texts[.commentsTitle]] : [:]
        let model: [String: Any?] = [
            "items": loaded.page.items.enumerated().map { index, image in
                row(image, at: index, reader).merging(comments) { known, _ in known }
            },
            "next": loaded.nextAfterID.map { path("/?after_id=\($0.uuidString)\(limit)") },
            "previous": isFirst ? nil : loaded.prevBeforeID.map { path("/?before_id=\($0.uuidString)\(limit)") },
            "empty": loaded.page.empty, "emptyCommand": isLoopback ? "gateway import DIR" : nil,
            "end": loaded.page.end, "isFirst": isFirst, "sizes": Self.sizes(reader.layout),
            "cached": loaded.origin == .cache ? loaded.page.status : nil,
            "savedAt": loaded.savedAt.map(AbsoluteDate.machineText),
            "problem": loaded.problems.isEmpty ? nil : texts[.partsUnavailable],
        ]
        let frame = Frame(
            title: gateway.site.title(in: reader.language), description: gateway.site.description(in: reader.language),
            canonicalPath: "/",
            imagePath: loaded.page.items.first { !$0.details.isSensitive }.map { Self.imagePath($0.id, width: 1_280) },
            kind: "feed")
        return page("feed", frame, model, for: reader)
    }

    /// The members of one image in the templates.
    func row(_ image: FeedImageViewModel, at index: Int, _ reader: Reader) -> [String: Any] {
        let box = PictureBox(width: image.hints.width, height: image.hints.height)
        let credit = credit(of: image.details, reader.language)
        let members: [String: Any?] = [
            "id": image.id.uuidString, "position": index + 1, "isNear": index < 2,
            "name": image.title, "isUntitled": image.isUntitled, "alt": image.alt, "heading": image.heading,
            "hasName": image.heading != nil || image.location != nil,
            "isSensitive": image.details.isSensitive,
            "hasCredit": !credit.isEmpty, "credit": credit,
            "place": image.location, "text": image.text,
            "isLong": (image.text?.unicodeScalars.count ?? 0) > Self.longText, "comments": image.comments,
            "placeLink": image.location.flatMap { place in pluginPage { $0.page(ofPlace: place) } },
            "hasTags": !image.tags.isEmpty,
            // An upstream may have any number of tags, and a long list makes the page slow.
            "tags": image.tags.prefix(ItemTags.maximumCount).map { tag in
                ["tag": tag, "link": pluginPage { $0.page(ofTag: tag) }].compactMapValues(\.self)
            },
            "hasChips": !image.chips.isEmpty,
            "chips": image.chips.map { chip in
                ["label": chip.label, "value": chip.text, "link": chip.link.map { $0.hasPrefix("/") ? path($0) : $0 }]
                    .compactMapValues(\.self)
            },
            "source": path(Self.imagePath(image.id, width: 960)), "sources": sources(image.id, reader),
            "width": box.width, "height": box.height, "ratio": box.ratio,
            "placeholder": image.hints.placeholder?.dataURI,
        ]
        return members.compactMapValues(\.self)
    }

    /// The author, who leads to the original, and the licence, which leads to its text. Without an author, the server of the original.
    private func credit(of details: PictureDetails, _ language: Language) -> [[String: Any]] {
        let host = details.source.flatMap { URLComponents(string: $0)?.host }
        let author = details.credit.map { Texts(language).text(.imageCredit, $0) }
        let license = details.license.map { (part: $0, link: PictureLicense.url(of: $0), rel: "license ") }
        let origin = (author ?? host).map { (part: $0, link: details.source, rel: "") }
        let parts = (author == nil ? [license, origin] : [origin, license]).compactMap(\.self)
        return parts.enumerated().map { index, part in
            let members: [String: Any?] = [
                "isNext": index > 0, "part": part.part, "link": part.link,
                "rel": part.rel + "noopener noreferrer nofollow",
            ]
            return members.compactMapValues(\.self)
        }
    }

    /// The path of a page, if a plugin has it. A request with a longer one would be refused.
    private func pluginPage(_ page: (any PluginClient.Type) -> String?) -> String? {
        guard let page = PluginClients.all(in: gateway.registry).lazy.compactMap(page).first.map(path) else {
            return nil
        }
        return page.utf8.count <= HTTPLimits.targetBytes ? page : nil
    }

    /// A text of at most this length, in Unicode scalars, fits into six lines of a phone.
    private static let longText = 240

    /// The value of `srcset`. A reader who saves data gets smaller pictures.
    func sources(_ id: UUID, _ reader: Reader) -> String {
        let widths = PictureHints.variantWidths
        return widths.prefix(reader.savesData ? 2 : widths.count).map {
            "\(path(Self.imagePath(id, width: $0))) \($0)w"
        }.joined(separator: ", ")
    }

    /// The value of `sizes` of pictures in the feed: about the widths that the style gives them.
    private static func sizes(_ layout: Reader.Layout) -> String {
        switch layout {
        case .list: "(min-width: 42rem) 40rem, 100vw"
        case .grid: "(min-width: 64rem) 26rem, (min-width: 37.5rem) 18rem, 60vw"
        }
    }

    static func imagePath(_ id: UUID, width: Int? = nil) -> String {
        "/v1/image/\(id.uuidString)/data" + (width.map { "?w=\($0)" } ?? "")
    }
}

extension HTTPAnswer {
    static func seeOther(_ location: String) -> HTTPAnswer {
        var answer = HTTPAnswer(.seeOther)
        answer.fields[.location] = location
        answer.fields[.cacheControl] = "no-store"
        return answer
    }
}
