import Foundation
import JSON

/// How readers see a value that a plugin adds to an image.
public struct ExtensionStyle: Equatable, Sendable {
    public enum Format: String, CaseIterable, Sendable {
        /// A whole number, grouped as the reader's language does it.
        case count
        /// A short text, or an object with a short `text`.
        case text
        /// A web address, or an object with a web address `url` and a short `text`.
        case link
    }

    /// The name for readers; nil shows the name of the extension.
    public var label: LocalizedText?

    /// Nil shows numbers and texts as the plugin has written them.
    public var format: Format?

    /// Where the value leads: a web address or a path of the gateway, with `{id}` and `{value}`.
    public var link: String?

    public init(label: LocalizedText? = nil, format: Format? = nil, link: String? = nil) {
        self.label = label
        self.format = format
        self.link = link
    }
}

/// A value that a plugin adds to an image, as pages and tables show it.
public struct ExtensionViewModel: Equatable, Sendable {
    /// The name of the extension, as the plugin has chosen it.
    public let name: String

    /// The name in the reader's language.
    public let label: String

    /// One short line.
    public let text: String

    /// A web address, or a path of the gateway that begins with a slash; nil if the value leads nowhere.
    public let link: String?

    public init(name: String, label: String, text: String, link: String? = nil) {
        self.name = name
        self.label = label
        self.text = text
        self.link = link
    }
}

/// Presents the values that plugins add to images.
public enum ExtensionPresenter {
    /// The maximum length of a text that is shown, in Unicode scalars. A longer one is for programs only.
    public static let maximumText = 80

    /// The number of comments has a presentation of its own.
    private static let presented = "comments"

    /// The values to show, in the order of their names. Values that do not have the format of their style are for programs only.
    /// - Parameter id: the image.
    public static func viewModels(
        _ extensions: [String: RawJSON], _ styles: [String: ExtensionStyle] = [:], of id: UUID, language: Language
    ) -> [ExtensionViewModel] {
        extensions.filter { $0.key != presented }.sorted { $0.key < $1.key }.compactMap { name, value in
            let style = styles[name] ?? ExtensionStyle()
            guard let (text, address) = shown(value, style.format, language) else { return nil }
            let link = style.link.map { template in
                template.replacing("{id}", with: id.uuidString).replacing("{value}", with: escaped(text))
            }
            return ExtensionViewModel(
                name: name, label: style.label?.text(in: language) ?? name, text: text, link: address ?? link)
        }
    }

    private static func shown(
        _ value: RawJSON, _ format: ExtensionStyle.Format?, _ language: Language
    ) -> (text: String, address: String?)? {
        switch format {
        case nil: (text(of: value) ?? number(value).flatMap(line)).map { ($0, nil) }
        case .count:
            (try? value.read(as: .integer(0 ... .max))).map { ($0.formatted(.number.locale(language.locale)), nil) }
        case .text: text(of: value).map { ($0, nil) }
        case .link: link(value)
        }
    }

    private static func text(of value: RawJSON) -> String? {
        ((try? value.read(as: .string)) ?? (try? value.read(as: textMember))).flatMap(line)
    }

    /// The number as the plugin has written it.
    private static func number(_ value: RawJSON) -> String? {
        (try? value.read(as: .number())).map { _ in value.description }
    }

    /// An address without a text is shown by its host.
    private static func link(_ value: RawJSON) -> (text: String, address: String?)? {
        guard let address = (try? value.read(as: address)) ?? (try? value.read(as: urlMember)),
            let text = text(of: value).flatMap({ $0 == address ? nil : $0 }) ?? URLComponents(string: address)?.host
        else { return nil }
        return (text, address)
    }

    /// - Returns: nil for a text that is empty or too long.
    private static func line(_ text: String) -> String? {
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.isEmpty || line.unicodeScalars.count > maximumText ? nil : line
    }

    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    /// Unreserved characters (RFC 3986 §2.3).
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    private static let address = Codec.uri(schemes: ["http", "https"])

    private static let textMember = member("text", .string)
    private static let urlMember = member("url", address)

    private static func member(_ name: String, _ codec: Codec<String>) -> Codec<String> {
        .object { object in
            let value = object.required(name, codec, \.self)
            return { members throws(JSONError) in try members[value] }
        }
    }
}
