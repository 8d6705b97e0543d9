/// What an author says about a picture beside its text: what it shows, whose it is, and whether to cover it.
///
/// Most pictures have none, and items are copied often, so the values are behind one reference, which is absent then.
public struct PictureDetails: Equatable, Hashable, Sendable {
    private let values: Values?

    private final class Values: Sendable {
        let alt, credit, license, source: String?
        let isSensitive: Bool

        init(_ alt: String?, _ credit: String?, _ license: String?, _ source: String?, _ isSensitive: Bool) {
            (self.alt, self.credit, self.license, self.source) = (alt, credit, license, source)
            self.isSensitive = isSensitive
        }
    }

    /// What the picture shows, for people who cannot see it.
    public var alt: String? { values?.alt }

    /// The author of the picture, to be named wherever it is shown.
    public var credit: String? { values?.credit }

    /// An SPDX identifier, or a text.
    public var license: String? { values?.license }

    /// The http or https URL of the original.
    public var source: String? { values?.source }

    /// Whether the picture is covered until a reader asks for it.
    public var isSensitive: Bool { values?.isSensitive ?? false }

    /// An empty text counts as absent.
    public init(
        alt: String? = nil, credit: String? = nil, license: String? = nil, source: String? = nil,
        isSensitive: Bool = false
    ) {
        func present(_ text: String?) -> String? { text?.isEmpty == true ? nil : text }
        let texts = (present(alt), present(credit), present(license), present(source))
        let isEmpty = texts.0 == nil && texts.1 == nil && texts.2 == nil && texts.3 == nil && !isSensitive
        values = isEmpty ? nil : Values(texts.0, texts.1, texts.2, texts.3, isSensitive)
    }

    public static func == (one: PictureDetails, other: PictureDetails) -> Bool {
        one.values === other.values
            || one.alt == other.alt && one.credit == other.credit && one.license == other.license
                && one.source == other.source && one.isSensitive == other.isSensitive
    }

    public func hash(into hasher: inout Hasher) {
        for text in [alt, credit, license, source] { hasher.combine(text) }
        hasher.combine(isSensitive)
    }

    public var isEmpty: Bool { values == nil }

    /// The texts.
    public var texts: [String] { [alt, credit, license, source].compactMap(\.self) }

    /// These details, with missing ones from `other`.
    public func completed(by other: PictureDetails) -> PictureDetails {
        PictureDetails(
            alt: alt ?? other.alt, credit: credit ?? other.credit, license: license ?? other.license,
            source: source ?? other.source, isSensitive: isSensitive || other.isSensitive)
    }

    /// Whether no text of `other` differs from one that is here.
    public func agrees(with other: PictureDetails) -> Bool {
        other.completed(by: self).texts == completed(by: other).texts
    }
}
