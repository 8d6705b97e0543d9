/// What an author says about a picture beside its text: what it shows, whose it is, and whether to cover it.
public struct PictureDetails: Equatable, Hashable, Sendable {
    /// What the picture shows, for people who cannot see it.
    public let alt: String?

    /// The author of the picture, to be named wherever it is shown.
    public let credit: String?

    /// An SPDX identifier, or a text.
    public let license: String?

    /// The http or https URL of the original.
    public let source: String?

    /// Whether the picture is covered until a reader asks for it.
    public let isSensitive: Bool

    /// An empty text counts as absent.
    public init(
        alt: String? = nil, credit: String? = nil, license: String? = nil, source: String? = nil,
        isSensitive: Bool = false
    ) {
        func present(_ text: String?) -> String? { text?.isEmpty == true ? nil : text }
        self.alt = present(alt)
        self.credit = present(credit)
        self.license = present(license)
        self.source = present(source)
        self.isSensitive = isSensitive
    }

    public var isEmpty: Bool { self == PictureDetails() }

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
