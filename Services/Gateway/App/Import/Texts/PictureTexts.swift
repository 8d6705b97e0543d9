import EdgeModel
import FeedContract
import Foundation
import JSON

/// What a picture's file says for its readers.
struct PictureTexts: Equatable, Sendable {
    var title: String?
    var description: String?
    var place: String?
    var tags: [String] = []
    var details = PictureDetails()

    init() {}

    /// - Parameters:
    ///   - sources: the texts of each block of metadata.
    ///   - file: the name of the picture's file.
    init(_ sources: [PictureText.Source], file: String) {
        let ordered = sources.enumerated().sorted {
            ($0.element.format.rawValue, $0.offset) < ($1.element.format.rawValue, $1.offset)
        }.map(\.element.texts)
        let misread = MisreadText(ordered.flatMap { $0.values.joined() })
        /// The texts of the first source that has some.
        /// - Parameter isDefault: whether a text is one that cameras and programs write by themselves.
        func all(_ field: PictureText, isDefault: @escaping (String) -> Bool = { _ in false }) -> [String] {
            ordered.lazy.map { source in
                (source[field] ?? []).map { Self.clean(misread.repaired($0)) }.filter { !$0.isEmpty && !isDefault($0) }
            }.first { !$0.isEmpty } ?? []
        }
        func isDefault(_ text: String) -> Bool { CameraDefaults.contain(text, file: file) }
        title = all(.title, isDefault: isDefault).first.map {
            $0.split(whereSeparator: \.isNewline).joined(separator: " ")
        }
        description = all(.description, isDefault: isDefault).first
        // The place in the city may be an address of the photographer.
        let places = ItemTags.stored([PictureText.city, .state, .country].compactMap { all($0).first })
        place = places.isEmpty ? nil : places.joined(separator: ", ")
        // Some programs write all keywords as one.
        tags = ImportText.tags(all(.keyword).flatMap { $0.split(separator: ";").map(String.init) })
        let rights = all(.rights).map { ImportText.cut($0, to: Self.longestNotice) }
        details = PictureDetails(
            alt: all(.alt).first.map { ImportText.cut($0, to: PictureDetails.maximumAlt) },
            credit: Self.credit(
                all(.creator) { CameraDefaults.contain($0, file: "") }, all(.credit).first, rights.first),
            license: Self.license(all(.license).first, rights),
            source: all(.source).compactMap { WebAddress.resolve($0, schemes: PictureDetails.sourceSchemes) }
                .first(where: Self.isAddress))
    }

    /// The beginning of a notice says what it is.
    private static let longestNotice = 2_000

    /// The author and the line that an agency wants to be shown; else the owner.
    private static func credit(_ creators: [String], _ line: String?, _ rights: String?) -> String? {
        let names = ItemTags.stored(creators).joined(separator: ", ")
        let parts = [names.isEmpty || line?.contains(names) == true ? nil : names, line].compactMap(\.self)
        let owner = rights.flatMap { license(nil, [$0]) == nil && LicenceNotice.namesOwner($0) ? $0 : nil }
        let text = parts.isEmpty ? owner : parts.joined(separator: " / ")
        return text.map { oneLine(ImportText.cut(oneLine($0), to: PictureDetails.maximumCredit)) }
    }

    /// The licence, of which only an address or a notice may be there.
    private static func license(_ address: String?, _ rights: [String]) -> String? {
        let texts = [address].compactMap(\.self) + rights
        return texts.lazy.compactMap(LicenceNotice.creativeCommons).first
            ?? texts.first {
                ($0 == address ? isAddress($0) : LicenceNotice.isLicence($0))
                    && $0.unicodeScalars.count <= PictureDetails.maximumCredit
            }.map(oneLine)
    }

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Whether the feed takes a text as a source.
    static func isAddress(_ text: String) -> Bool {
        let codec = Codec<String>.uri(schemes: PictureDetails.sourceSchemes, maximumBytes: FeedItem.maximumImage)
        return (try? RawJSON(JSONValue.string(text), as: JSONValue.codec).read(as: codec)) != nil
    }

    /// Without HTML, and without control characters and byte order marks, which no reader sees.
    private static func clean(_ text: String) -> String {
        let lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        let visible = HTMLText.plainIfMarked(lines).unicodeScalars.filter {
            $0 == "\n" || $0 == "\t" || $0 != "\u{FEFF}" && $0.properties.generalCategory != .control
        }
        return String(String.UnicodeScalarView(visible)).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

extension ImportEntry {
    /// This entry, with what the picture's file says where nothing else says it, and with the name of the file where nothing describes
    /// the picture.
    func completed(by texts: PictureTexts) -> ImportEntry {
        func lacks(_ value: String?, _ names: String...) -> Bool {
            value?.isEmpty != false && stated.isDisjoint(with: names)
        }
        var entry = self
        if lacks(description, "title", "description") {
            entry.description =
                ImportText.joined(title: texts.title, description: texts.description)
                .map { ImportText.cut($0, to: FeedItem.maximumDescription) } ?? unnamed
        }
        if lacks(location, "location") {
            entry.location = texts.place.map { ImportText.cut($0, to: FeedItem.maximumLocation) }
        }
        if tags.isEmpty, !stated.contains("tags") { entry.tags = texts.tags }
        let others = PictureDetails(
            alt: lacks(details.alt, "alt") ? texts.details.alt : nil,
            credit: lacks(details.credit, "credit", "author") ? texts.details.credit : nil,
            license: lacks(details.license, "license", "licence") ? texts.details.license : nil,
            source: lacks(details.source, "source", "origin") ? texts.details.source : nil)
        entry.details = details.completed(by: others)
        return entry
    }
}
