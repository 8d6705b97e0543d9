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
    ///   - pictures: the paths of the pictures.
    ///   - profile: the account, if it is there.
    /// - Returns: nil if one of the texts does not say who can see the picture.
    func entries(_ photos: [JSONValue], pictures: [String], profile: JSONValue?) -> [ImportEntry]? {
        guard photos.allSatisfy({ $0["id"]?.text != nil && $0["privacy"]?.text != nil }) else { return nil }
        let byID = Dictionary(grouping: pictures.flatMap { file in Self.ids(in: file).map { (id: $0, file: file) } }) {
            $0.id
        }
        return photos.map { entry(of: $0, byID, profile) }.enumerated().sorted {
            ($0.element.publishedAt ?? .distantPast, -$0.offset) > ($1.element.publishedAt ?? .distantPast, -$1.offset)
        }.map(\.element)
    }

    /// The numbers in a name that may be an id: `lighthouse_53508710586_o.jpg`, `53508710586_4d1fa0b3c2_o.jpg`.
    private static func ids(in file: String) -> Set<String> {
        let stem = ((file as NSString).lastPathComponent as NSString).deletingPathExtension
        return Set(stem.split(separator: "_").filter { $0.count >= 6 && $0.allSatisfy(\.isNumber) }.map(String.init))
    }

    private func entry(
        of photo: JSONValue, _ byID: [String: [(id: String, file: String)]], _ profile: JSONValue?
    ) -> ImportEntry {
        let id = photo["id"]?.text ?? ""
        let candidates = (byID[id] ?? []).map(\.file)
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
                license: Self.text(photo["license"]), source: source?.hasPrefix("https://") == true ? source : nil,
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
