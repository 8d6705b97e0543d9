import EdgeModel
import Foundation

/// Presents one image of the feed.
public enum FeedImagePresenter {
    /// A description or location with only white space counts as absent.
    public static func viewModel(
        id: UUID, description: String?, location: String?, image: String, tags: [String] = [], publishedAt: Date? = nil,
        hints: PictureHints = PictureHints(), details: PictureDetails = PictureDetails(), language: Language
    ) -> FeedImageViewModel {
        FeedImageViewModel(
            id: id, title: title(description: description, location: location, language: language),
            description: description.flatMap(visible), location: location.flatMap(visible), image: image, tags: tags,
            publishedAt: publishedAt, hints: hints, details: details)
    }

    /// The first non-empty line of the description, otherwise of the location, otherwise "Image".
    public static func title(description: String?, location: String?, language: Language) -> String {
        [description, location].lazy.compactMap { $0.flatMap(firstLine) }.first ?? Texts(language)[.image]
    }

    /// The maximum length of a heading in Unicode scalars.
    public static let maximumHeading = 100

    /// Splits a description into its heading and its text. The first of several lines is the heading, unless it is too long for a
    /// title or ends like a part of a sentence.
    static func parts(of description: String?) -> (heading: String?, text: String?) {
        guard let description else { return (nil, nil) }
        let lines = description.trimmingCharacters(in: .whitespacesAndNewlines)
            .split(maxSplits: 1, whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        guard lines.count == 2, lines[0].unicodeScalars.count <= maximumHeading, let end = lines[0].last,
            !".,:;…".contains(end)
        else { return (nil, description) }
        return (lines[0], lines[1])
    }

    private static func visible(_ text: String) -> String? {
        firstLine(text) == nil ? nil : text
    }

    private static func firstLine(_ text: String) -> String? {
        text.split(whereSeparator: \.isNewline).lazy
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .first { !$0.isEmpty }
            .map(shortened)
    }

    /// The maximum length of a title in Unicode scalars, after which it is truncated.
    public static let maximumTitle = 200

    /// Ends before a character that does not fit: half of a flag or of an emoji is another one.
    private static func shortened(_ line: String) -> String {
        guard line.unicodeScalars.count > maximumTitle else { return line }
        var (room, title) = (maximumTitle - 1, "")
        for character in line {
            room -= character.unicodeScalars.count
            guard room >= 0 else { break }
            title.append(character)
        }
        // Only a character with hundreds of accents does not fit at all.
        if title.isEmpty { title = String(String.UnicodeScalarView(line.unicodeScalars.prefix(maximumTitle - 1))) }
        return title + "…"
    }
}
