import FeedContract
import Foundation
import Presentation

/// Formats feed events as text, one line per image.
struct FeedEventText {
    let output: Output
    let language: Language

    /// The options that select the same gateway.
    let route: String

    func lines(_ event: FeedEvent) -> [String] {
        switch event.change {
        case .published(let items):
            items.map { line("new", style.green, about(FeedImagePresenter.viewModel($0, language))) }
        case .removed(let ids): ids.map { line("removed", style.red, $0.uuidString) }
        case .reset:
            [
                line(
                    "reset", style.yellow,
                    "events are missing, for example after a restart of the feed service; "
                        + "show the current feed with: gateway feed\(route)")
            ]
        }
    }

    private var style: Style { output.style }

    /// The width of the longest word and a gap.
    private static let wordWidth = 9

    private func line(_ word: String, _ color: (String) -> String, _ text: String) -> String {
        color(word) + String(repeating: " ", count: Self.wordWidth - word.count) + text
    }

    private func about(_ image: FeedImageViewModel) -> String {
        let location = image.location.flatMap { $0 == image.title ? nil : $0 }
        let words = Escaping.visible([image.title, location].compactMap(\.self).joined(separator: " – "))
        let id = image.id.uuidString + "  "
        let room = output.columns.map { max(0, $0 - Self.wordWidth - id.count) }
        return id + (room.map { DisplayWidth.truncated(words, to: $0) } ?? words)
    }
}
