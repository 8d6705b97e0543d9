import ArgumentParser
import FeedContract
import Foundation
import GatewayContract
import Presentation
import RPC

struct FeedCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed",
        abstract: "Show the feed, newest first.",
        discussion: """
            Examples:
              gateway feed                          the first page
              gateway feed --limit 3 --after ID     three items after the item ID, or its first 4 characters or more
              gateway feed --all                    the whole feed, page by page
              gateway feed --all --json | jq -r '.items[].id'
            """)

    static let isPaged = true
    static let hasTranslatedErrors = true
    static let parameterNames = ["limit": "--limit", "after_id": "--after", "before_id": "--before"]

    @OptionGroup var client: ClientOptions

    @Option(parsing: .unconditional, help: ArgumentHelp("The number of items per page, 1…100.", valueName: "count"))
    var limit = LoadFeed.defaultLimit

    @Option(
        help: ArgumentHelp("Show the items after this one.", valueName: "id"), completion: .imageIDs,
        transform: ImageID.argument)
    var after: ImageID?

    @Option(
        help: ArgumentHelp("Show the items newer than this one.", valueName: "id"), completion: .imageIDs,
        transform: ImageID.argument)
    var before: ImageID?

    @Flag(help: "Show all pages up to the end of the feed.")
    var all = false

    func validate() throws {
        if all, before != nil {
            throw ValidationError("--all cannot be combined with --before; use --after, or none")
        }
    }

    func run(_ session: Session) async throws {
        var afterID = try await after?.resolved(session)
        let beforeID = try await before?.resolved(session)
        var isFirst = true
        repeat {
            let request = FeedPageRequest(
                limit: limit, afterID: afterID, beforeID: isFirst ? beforeID : nil, locale: session.locale)
            let answer = try await session.show(GatewayContract.feedPage, request) {
                FeedText(output: session.output, texts: Texts(session.language)).page(
                    $0, isFirst: isFirst, hint: all ? nil : hint(session, answer: $0))
            }
            for problem in answer.problems { session.complain(about: problem) }
            afterID = answer.nextAfterID
            isFirst = false
        } while all && afterID != nil
    }
}

extension FeedCommand {
    private func hint(_ session: Session, answer: FeedPageAnswer) -> String? {
        guard let next = answer.nextAfterID else { return nil }
        let size = limit == LoadFeed.defaultLimit ? "" : " --limit \(limit)"
        return "\(Texts(session.language)[.feedNextPage]): "
            + "gateway feed\(client.route)\(size) --after \(next.uuidString)"
    }
}

/// Formats the feed as text.
struct FeedText {
    let output: Output
    let texts: Texts

    /// - Parameter hint: the command for the next page; nil to omit it.
    func page(_ answer: FeedPageAnswer, isFirst: Bool, hint: String?) -> String {
        var parts: [String] = []
        if isFirst {
            parts.append(output.style.bold(answer.page.title))
            if let status = answer.page.status { parts.append(output.style.dim(output.folded(status))) }
        }
        parts.append(answer.page.items.isEmpty ? output.folded(answer.page.empty ?? "") : table(answer.page.items))
        if let end = answer.page.end { parts.append(output.style.dim(output.folded(end))) }
        if let hint { parts.append(output.style.dim(hint)) }
        return parts.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private func table(_ items: [FeedImageViewModel]) -> String {
        // A column for each extension of the page, by its name.
        let labels = Dictionary(
            items.flatMap(\.chips).map { ($0.name, $0.label) }, uniquingKeysWith: { first, _ in first })
        let names = labels.keys.sorted()
        let hasTags = items.contains { !$0.tags.isEmpty }
        let columns =
            [
                TextTable.Column("ID"), TextTable.Column(texts[.columnLocation], fit: .shorten),
                TextTable.Column(texts[.columnDescription], fit: .shorten),
            ] + (hasTags ? [TextTable.Column(texts[.columnTags], fit: .shorten)] : [])
            + names.map { TextTable.Column((labels[$0] ?? $0).uppercased(), fit: .shorten) }
        let rows = items.map { item in
            [item.id.uuidString, item.location ?? "", Self.line(item.description ?? item.title)]
                + (hasTags ? [item.tags.map { "#\($0)" }.joined(separator: " ")] : [])
                + names.map { name in item.chips.first { $0.name == name }?.text ?? "" }
        }
        let table = TextTable(columns, rows: rows).rendered(in: output.columns, style: output.style)
        let ids = items.map(\.id.uuidString)
        return ids.reduce(table) { text, id in
            let prefix = Self.prefix(of: id, among: ids)
            return text.replacing(id, with: output.style.bold(prefix) + id.dropFirst(prefix.count))
        }
    }

    /// A text in one line.
    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " – ")
    }

    /// What is enough to type of an id: the shortest beginning that no other one of the page has, of at least four characters.
    private static func prefix(of id: String, among ids: [String]) -> String {
        let common = ids.filter { $0 != id }.map { $0.commonPrefix(with: id).count }.max() ?? 0
        return String(id.prefix(max(IDPrefix.lengths.lowerBound, common + 1)))
    }
}
