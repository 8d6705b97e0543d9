import FeedContract
import Foundation
import Presentation
import ServiceKit

/// Formats feed events as text, one line per image.
struct FeedEventText {
    let output: Output
    let language: Language

    /// The options that select the same gateway.
    let route: String

    func lines(_ event: FeedEvent) -> [String] {
        switch event.change {
        case .published(let items):
            items.map { line(.watchNew, style.green, about(FeedImagePresenter.viewModel($0, language))) }
        case .removed(let ids): ids.map { line(.watchRemoved, style.red, $0.uuidString) }
        case .found, .forgotten: []
        case .reset: [line(.watchReset, style.yellow, texts.text(.watchGap, "gateway feed\(route)"))]
        }
    }

    private var texts: Texts { Texts(language) }

    private var style: Style { output.style }

    /// The width of the longest word and a gap.
    private var wordWidth: Int {
        let words = [TextKey.watchNew, .watchRemoved, .watchReset].map { DisplayWidth.of(texts[$0]) }
        return (words.max() ?? 0) + TextTable.gap.count
    }

    private func line(_ key: TextKey, _ color: (String) -> String, _ text: String) -> String {
        let word = texts[key]
        return color(word) + String(repeating: " ", count: wordWidth - DisplayWidth.of(word)) + text
    }

    private func about(_ image: FeedImageViewModel) -> String {
        let location = image.location.flatMap { $0 == image.title ? nil : $0 }
        let words = Escaping.visible([image.title, location].compactMap(\.self).joined(separator: " – "))
        let id = image.id.uuidString + "  "
        let room = output.columns.map { max(0, $0 - wordWidth - id.count) }
        return id + (room.map { DisplayWidth.truncated(words, to: $0) } ?? words)
    }
}
