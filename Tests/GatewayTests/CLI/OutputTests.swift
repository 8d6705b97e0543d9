import EdgeModel
import FeedContract
import Foundation
import GatewayContract
import ImageDataContract
import JSON
import Presentation
import RPC
import ServiceKit
import Testing

@testable import ContractKit
@testable import gateway

/// The output of commands at several widths, without a terminal, and in two languages. The golden files have all of them.
@Suite struct OutputTests {
    /// Nil without a terminal.
    private static let widths: [Int?] = [20, 40, 80, 120, nil]

    private static let now = Date(timeIntervalSince1970: 1_750_000_000)

    /// Texts with wide characters, combining marks, a family of emoji and control characters.
    private static let texts = [
        "Fim de tarde no Farol da Barra. Cheguei cedo só para ver o sol.", "東京の夜景。雨上がりの街は、いつもより明るい。",
        "👩‍👩‍👧‍👦🌅🇬🇷 e\u{301}te\u{301} \u{1B}[31mred\nnext line", "x",
    ]

    private func output(_ width: Int?) -> Output {
        let terminal = Terminal(
            terminals: width == nil ? [] : [.output], windowColumns: width, environment: ["TERM": "dumb"])
        return Output(terminal: terminal, color: .never)
    }

    /// Compares all variants with a file, and each line with its width.
    private func expect(
        _ name: String, languages: [Language] = [.en], sourceLocation: SourceLocation = #_sourceLocation,
        _ text: (Output, Language) -> String
    ) throws {
        var all = ""
        for language in languages {
            for width in Self.widths {
                let text = text(output(width), language)
                let title = width.map { "\($0) columns" } ?? "no terminal"
                all += "=== \(language.rawValue), \(title)\n\(text)\n"
                guard let width else { continue }
                for line in text.split(separator: "\n") {
                    #expect(DisplayWidth.of(String(line)) <= width, "\(line)", sourceLocation: sourceLocation)
                }
            }
        }
        try Golden.expect(all, name, sourceLocation: sourceLocation)
    }

    private func id(_ number: Int) -> UUID { UUID(uuidString: "00000000-0000-4000-8000-00000000000\(number)")! }

    private func feed(_ language: Language, count: Int = texts.count, savedAt: Date? = nil) -> FeedPageAnswer {
        let items = Self.texts.prefix(count).enumerated().map { index, text in
            var item = FeedImagePresenter.viewModel(
                id: id(index), description: text, location: index == 3 ? nil : "Salvador, Brazil",
                image: "https://example.org/a.jpg", language: language)
            if index == 0 { item.chips = [ExtensionViewModel(name: "likes", label: "likes", text: "3")] }
            return item
        }
        let page = FeedPagePresenter.viewModel(
            title: Texts(language)[.feedTitle], items: items, origin: savedAt == nil ? .store : .cache,
            savedAt: savedAt, isFirstPage: true,
            isLastPage: true, now: Self.now, language: language)
        return FeedPageAnswer(
            page: page, nextAfterID: nil, prevBeforeID: nil, origin: .store, savedAt: savedAt, problems: [])
    }

    @Test func `the feed`() throws {
        try expect("output-feed", languages: [.en, .el]) { output, language in
            let text = FeedText(output: output, texts: Texts(language))
            let cached = feed(language, count: 1, savedAt: Self.now.addingTimeInterval(-7_200))
            return [
                text.page(feed(language), isFirst: true, hint: nil), text.page(cached, isFirst: true, hint: nil),
                text.page(feed(language, count: 0), isFirst: true, hint: nil),
            ].joined(separator: "\n---\n")
        }
    }

    @Test func `the comments of an image`() throws {
        try expect("output-comments", languages: [.en, .el]) { output, language in
            let items = Self.texts.enumerated().map { index, text in
                CommentPresenter.viewModel(
                    id: id(index), message: text, username: ["ana", "写真家", "👩‍🚀 Μαρία", "a"][index],
                    createdAt: Self.now.addingTimeInterval(-86_400 * Double(index)), now: Self.now, language: language)
            }
            func page(_ items: [CommentViewModel]) -> String {
                let comments = CommentsPresenter.viewModel(
                    items: items, origin: .store, savedAt: nil, isFirstPage: true, now: Self.now, language: language)
                let answer = CommentsAnswer(
                    comments: comments, nextAfterID: nil, origin: .store, savedAt: nil, problems: [])
                return CommentsText(output: output, texts: Texts(language)).page(answer, isFirst: true, next: nil)
            }
            return page(items) + "\n---\n" + page([])
        }
    }

    @Test func `the plugins`() throws {
        let list = PluginList(
            plugins: [
                PluginReport(
                    name: "feed", socket: "/run/feed.sock", required: true, state: .ready, instance: "i",
                    version: "0.1.0",
                    contracts: ["feed": 1], error: nil, roundTrip: 125),
                PluginReport(
                    name: "likes", socket: "/run/likes.sock", required: false, state: .down, instance: nil,
                    version: nil,
                    contracts: [:], error: "cannot connect: connection refused", notices: ["写真は\u{1B}[2Jここ"],
                    roundTrip: nil),
            ],
            refused: [
                RefusedManifest(
                    name: "places", file: "plugins.d/places.json", line: 3, reason: "socket must be a string")
            ])
        try expect("output-plugins") { output, _ in PluginsText(output: output).text(list) }
    }

    @Test func `the health`() throws {
        let health = Health([
            Health.Check(name: "feed", status: .serving, since: Self.now),
            Health.Check(
                name: "image-data", status: .degraded, detail: "the disk is full: /data/image-data.sqlite",
                since: Self.now),
        ])
        try expect("output-health") { output, _ in
            HealthText(output: output).text(health) + "\n---\n" + HealthText(output: output).text(Health([]))
        }
    }

    @Test func `a list of methods, a signature, schemas and a template`() throws {
        let identity = ServiceIdentity(name: "gateway", version: "0", instance: "i")
        let list = ServiceDescription(service: identity, contracts: [FeedContract.contract])
        try expect("output-describe") { output, _ in DescriptionText(output: output).list(list) }
        let load = FeedContract.load.description
        try expect("output-describe-method") { output, _ in
            DescriptionText(output: output).text(load, withSchemas: false)
        }
        let schemas = DescriptionText(output: output(80)).text(FeedContract.get.description, withSchemas: true)
        let template = ParameterTemplate.tree(ParameterSchema(FeedContract.publish.description.params)).rawJSON.indented
        try Golden.expect(schemas + "\n---\n" + template + "\n", "output-describe-schemas")
    }

    @Test func `the report of a verification`() throws {
        var exchange = StepExchange()
        exchange.sent = [try JSONValue(json: #"{"method":"likes.get","params":{"id":"X"}}"#)]
        exchange.expected = try JSONValue(json: #"{"count":1}"#)
        exchange.received = try JSONValue(json: #"{"count":2,"写":"\u001b[31m"}"#)
        func report(_ name: String, _ steps: [StepReport], log: [String] = []) -> CaseReport {
            CaseReport(suite: "likes", name: name, about: "", steps: steps, log: log)
        }
        let cases = [
            report("counting", [StepReport("count", .passed), StepReport("count again", .passed)]),
            report(
                "getting",
                [
                    StepReport("get", .passed),
                    StepReport("get one", .failed([Difference("$.count", "is 2, not 1")]), exchange),
                ], log: ["Traceback\u{1B}[2J"]),
            report("adding", [StepReport("add", .skipped("needs a fresh instance: use --start"))]),
        ]
        let text = VerificationText(output: output(80))
        let all = text.lines(VerificationReport(cases: cases)) + ["---"] + text.lines(VerificationReport(cases: []))
        try Golden.expect(all.map { $0 + "\n" }.joined(), "output-verify")
    }

    @Test func `errors`() throws {
        let errors: [(RPCError, isTranslated: Bool, hints: [String])] = [
            (RPCError(.unavailable, "/run/gateway.sock: connection refused"), false, []),
            (RPCError(.invalidParams, "params.limit: must be from 1 to 100, is 0", service: "gateway"), false, []),
            (RPCError(.unavailable, "the disk is full", service: "feed"), false, []),
            (RPCError(.notFound, "\u{1B}[31m写真", service: "feed"), true, []),
            (
                RPCError(.methodNotFound, "there is no method \"feed.laod\" here", service: "gateway"), false,
                ["Did you mean feed.load?"]
            ),
            (RPCError(.notFound, "cannot read folder /x: it does not exist; check the path"), false, []),
            (RPCError(.tooLarge, "the image has 7 MB", service: "image-data"), false, []),
        ]
        var all = ""
        for language in [Language.en, .el] {
            all += "=== \(language.rawValue)\n"
            for (error, isTranslated, hints) in errors {
                let report = ErrorReport(
                    CommandFailure(error, hints: hints),
                    ErrorReport.Context(
                        language: language, place: .socket("/s"), isTranslated: isTranslated,
                        parameterNames: ["limit": "--limit"]),
                    trace: TraceContext(parent: "00-11111111111111111111111111111111-2222222222222222-01"))
                let lines = ["gateway: " + report.line] + report.hints
                all += lines.map { Escaping.visible($0) + "\n" }.joined() + "\(report.json)\n"
            }
        }
        try Golden.expect(all, "output-errors")
    }
}
