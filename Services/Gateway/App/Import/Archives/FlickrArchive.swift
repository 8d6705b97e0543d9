import EdgeModel
import Foundation
import JSON

/// The pictures of a Flickr account's archive: the unpacked files with `photo_ID.json` for each picture, and the pictures, whose names
/// have the id.
///
/// Only what everybody could see is published. Groups, notes, people and positions are not read.
struct FlickrArchive {
    let files: FolderFiles

    /// Whether pictures that are not marked as safe are imported.
    let takesSensitive: Bool

    static let profileName = "account_profile.json"

    /// The files that describe a picture each.
    static func lists(in files: FolderFiles) -> [String] {
        files.pictures.filter { ($0 as NSString).lastPathComponent.wholeMatch(of: /photo_\d+\.json/) != nil }
    }

    /// The pictures, the newest first. Members of another form than expected count as absent.
    /// - Parameters:
    ///   - photos: the files that describe a picture each, with their contents; nil for one that is not JSON.
    ///   - pictures: the paths of the pictures.
    ///   - profile: the account, if it is there.
    /// - Returns: nil if none of the files says who can see a picture.
    func entries(_ photos: [(file: String, content: JSONValue?)], pictures: [String], profile: JSONValue?)
        -> [ImportEntry]?
    {
        func isKnown(_ photo: JSONValue?) -> Bool { photo?["id"]?.text != nil && photo?["privacy"]?.text != nil }
        guard photos.contains(where: { isKnown($0.content) }) else { return nil }
        let byID = Dictionary(grouping: pictures) { Self.id(in: $0) ?? "" }
        let entries = photos.map { file, content -> ImportEntry in
            if let content, isKnown(content) { return entry(of: content, byID, profile) }
            return ImportEntry(
                file: file, id: nil, description: nil, location: nil, comments: [],
                refusal: "it is not JSON with the id and the privacy of a picture")
        }
        return entries.enumerated().sorted {
            ($0.element.publishedAt ?? .distantPast, -$0.offset) > ($1.element.publishedAt ?? .distantPast, -$1.offset)
        }.map(\.element)
    }

    /// The id in a name: the number in front of the size, or else at the beginning. Other numbers may be those of a private picture's
    /// title: `lighthouse_20200101_53508710586_o.jpg`, `53508710586_4d1fa0b3c2_o.jpg`.
    private static func id(in file: String) -> String? {
        let stem = ((file as NSString).lastPathComponent as NSString).deletingPathExtension
        let parts = stem.components(separatedBy: "_").filter { $0.count > 1 }
        let numbers = [parts.last, parts.first].compactMap { $0 }
        return numbers.first { $0.count >= shortestID && $0.allSatisfy(\.isNumber) }
    }

    private static let shortestID = 5

    private func entry(
        of photo: JSONValue, _ byID: [String: [String]], _ profile: JSONValue?
    ) -> ImportEntry {
        let id = photo["id"]?.text ?? ""
        let candidates = byID[id] ?? []
        let isSensitive = photo["safety"]?.text.map { $0.lowercased() != "safe" } ?? false
        let skipped: ImportSkip? =
            if photo["privacy"]?.text != "public" {
                .notPublic
            } else if isSensitive, !takesSensitive {
                .sensitive
            } else {
                nil
            }
        let refusal: String? =
            switch candidates.count {
            case 0: "the archive has no file with the id \(id) in its name"
            case 1: nil
            default: "the archive has several files with the id \(id) in their names"
            }
        let name = Self.text(photo["name"])
        let isNamed = name.map { !CameraDefaults.contain($0, file: candidates.first ?? "") } ?? false
        let source = photo["photopage"]?.text
        return ImportEntry(
            file: candidates.first ?? "photo_\(id).json", id: nil,
            description: ImportText.joined(title: isNamed ? name : nil, description: Self.text(photo["description"])),
            location: nil, comments: Self.comments(of: photo, profile),
            tags: ImportText.tags((photo["tags"]?.elements ?? []).compactMap { $0["tag"]?.text }),
            publishedAt: ImportDate.parse(photo["date_imported"]) ?? ImportDate.parse(photo["date_taken"]),
            details: PictureDetails(
                credit: Self.text(profile?["real_name"]) ?? Self.text(profile?["screen_name"]),
                license: Self.text(photo["license"]), source: source.flatMap { PictureTexts.isAddress($0) ? $0 : nil },
                isSensitive: isSensitive),
            unnamed: isNamed ? nil : name, refusal: refusal, skipped: skipped)
    }

    /// The text of a member, which may be HTML; nil for an empty one.
    private static func text(_ value: JSONValue?) -> String? {
        let text = value?.text.map { HTMLText.plainIfMarked($0).trimmingCharacters(in: .whitespacesAndNewlines) }
        return text?.isEmpty == false ? text : nil
    }

    /// The archive has the ids of the authors, and only the account's own name.
    private static func comments(of photo: JSONValue, _ profile: JSONValue?) -> [ImportEntry.Comment] {
        (photo["comments"]?.elements ?? []).compactMap { comment in
            guard let author = text(comment["user"]), let message = text(comment["comment"]) else { return nil }
            let own = profile?["nsid"]?.text == author ? text(profile?["screen_name"]) : nil
            return ImportEntry.Comment(
                id: nil, username: own ?? author, message: message, createdAt: ImportDate.parse(comment["date"]))
        }
    }
}
