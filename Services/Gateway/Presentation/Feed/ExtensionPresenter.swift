import JSON

/// A value that a plugin adds to an image, as pages and tables show it.
public struct ExtensionViewModel: Equatable, Sendable {
    /// The name of the extension, as the plugin has chosen it.
    public let name: String

    /// One short line.
    public let text: String
}

/// Presents the values that plugins add to images.
public enum ExtensionPresenter {
    /// The maximum length of a text that is shown, in Unicode scalars. A longer one is for programs only.
    public static let maximumText = 80

    /// The number of comments has a presentation of its own.
    private static let presented = "comments"

    /// The values to show, in the order of their names: short texts, numbers, and objects with a short `text`.
    public static func viewModels(_ extensions: [String: RawJSON]) -> [ExtensionViewModel] {
        extensions.filter { $0.key != presented }.sorted { $0.key < $1.key }.compactMap { name, value in
            text(of: value).map { ExtensionViewModel(name: name, text: $0) }
        }
    }

    private static func text(of value: RawJSON) -> String? {
        let text = (try? value.read(as: .string)) ?? number(value) ?? (try? value.read(as: textMember))
        guard let line = text?.split(whereSeparator: \.isWhitespace).joined(separator: " "), !line.isEmpty,
            line.unicodeScalars.count <= maximumText
        else { return nil }
        return line
    }

    /// The number as the plugin has written it.
    private static func number(_ value: RawJSON) -> String? {
        (try? value.read(as: .number())).map { _ in value.description }
    }

    private static let textMember = Codec<String>.object { object in
        let text = object.required("text", .string, \.self)
        return { members throws(JSONError) in try members[text] }
    }
}
