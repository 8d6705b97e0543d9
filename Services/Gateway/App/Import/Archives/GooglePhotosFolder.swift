import Foundation
import JSON

/// The pictures of a Google Photos library in an export of Google Takeout: each has a file with its texts beside it, a sidecar.
///
/// The pictures are the owner's, who names the folder to publish it, as any folder of pictures. What the owner has archived, deleted or
/// locked is left out, and so are the pictures of other people. Names of people and positions are not read.
struct GooglePhotosFolder {
    let files: FolderFiles

    /// The contents of the sidecars, by their paths.
    private let sidecars: [String: Sidecar]

    private struct Sidecar {
        let title: String
        let description: String?
        let date: Date?

        /// Whether the owner has put the picture aside, or has it from somebody else.
        let isPrivate: Bool

        /// - Returns: nil for the text of another program.
        init?(_ value: JSONValue) {
            guard let title = value["title"]?.text, let taken = value["photoTakenTime"] else { return nil }
            self.title = title
            let text = value["description"]?.text?.trimmingCharacters(in: .whitespacesAndNewlines)
            description = text?.isEmpty == false ? text : nil
            date = ImportDate.parse(taken["timestamp"])
            let origin = value["googlePhotosOrigin"]
            isPrivate =
                ["archived", "trashed", "inLockedFolder"].contains { value[$0].isTrue }
                || ["fromPartnerSharing", "fromSharedAlbum"].contains { origin?[$0] != nil }
        }
    }

    /// The paths of the sidecars by what they are named after, without case.
    private let whole: [Name: [(name: Name, file: String)]]

    /// The paths of those whose name was cut.
    private let cut: [Name: String]

    /// The name of a picture in a folder, without the number that distinguishes equal names.
    private struct Name: Hashable {
        let folder: String
        var name: String
        var number = ""

        var lowercased: Name { Name(folder: folder, name: name.lowercased(), number: number) }
    }

    /// - Parameter read: the content of a file in the folder; nil if it is not JSON.
    init?(_ files: FolderFiles, read: (String) -> JSONValue?) {
        self.files = files
        let lists = files.pictures.filter { $0.lowercased().hasSuffix(".json") }
        let named = Dictionary(grouping: lists, by: Self.named)
        sidecars = lists.reduce(into: [:]) { sidecars, file in
            sidecars[file] = read(file).flatMap(Sidecar.init)
        }
        let known = named.compactMapValues { [sidecars] in $0.first { sidecars[$0] != nil } }
        whole = Dictionary(grouping: known.map { (name: $0.key, file: $0.value) }, by: \.name.lowercased)
        cut = known.filter { ($0.value as NSString).lastPathComponent.utf16.count >= Self.cutLength }
        if sidecars.isEmpty { return nil }
    }

    // MARK: Names

    /// From this length in UTF-16 on, the name of a sidecar may be cut: 46 code units and the ending.
    private static let cutLength = 50

    /// `a.jpg.supplemental-metadata(1).json`, cut as `a.jpg.suppl(1).json`, and older `a.jpg.metadata(1).json` and `a.jpg(1).json` are
    /// named after `a(1).jpg`.
    private static func named(_ sidecar: String) -> Name {
        var name = Self.name(of: sidecar)
        name.name = String(name.name.dropLast(".json".count))
        let stem = name.name
        if let number = stem.firstMatch(of: /\(\d+\)$/) {
            (name.name, name.number) = (String(stem[..<number.range.lowerBound]), String(number.0))
        }
        if let point = name.name.lastIndex(of: ".") {
            let mark = name.name[name.name.index(after: point)...]
            if mark == "metadata" || "supplemental-metadata".hasPrefix(mark) { name.name = String(name.name[..<point]) }
        }
        return name
    }

    private static func name(of file: String) -> Name {
        let path = file as NSString
        return Name(
            folder: path.deletingLastPathComponent,
            name: path.lastPathComponent.precomposedStringWithCanonicalMapping)
    }

    /// The names that the sidecar of a picture may have: with the number where it is, and apart.
    private static func names(of picture: String) -> [Name] {
        let name = Self.name(of: picture)
        let (stem, ending) = parts(name.name)
        guard let number = stem.firstMatch(of: /\(\d+\)$/) else { return [name] }
        let plain = Name(
            folder: name.folder, name: stem[..<number.range.lowerBound] + ending, number: String(number.0))
        return [name, plain]
    }

    private static func parts(_ name: String) -> (stem: String, ending: String) {
        let ending = (name as NSString).pathExtension
        return ending.isEmpty ? (name, "") : (String(name.dropLast(ending.count + 1)), "." + ending)
    }

    private func sidecar(_ name: Name) -> String? {
        // Also the ending of the picture may be missing.
        let stem = Name(folder: name.folder, name: Self.parts(name.name).stem, number: name.number)
        if let file = exactSidecar(name) ?? exactSidecar(stem) { return file }
        // A character may be cut.
        let scalars = name.name.unicodeScalars
        for length in (1..<max(1, scalars.count)).reversed() {
            let start = String(String.UnicodeScalarView(scalars.prefix(length)))
            if let file = cut[Name(folder: name.folder, name: start, number: name.number)] { return file }
        }
        return nil
    }

    /// The name of a picture and that of its sidecar may differ in case: `a(1).jpg` has `a.JPG(1).json`.
    private func exactSidecar(_ name: Name) -> String? {
        let candidates = whole[name.lowercased] ?? []
        return (candidates.first { $0.name == name } ?? (candidates.count == 1 ? candidates[0] : nil))?.file
    }

    /// The sidecar of a picture. An edited copy has that of its original, which has the copy's name up to the last hyphen.
    private func sidecar(of picture: String) -> (file: String, isEdited: Bool)? {
        let names = Self.names(of: picture)
        if let file = names.lazy.compactMap(sidecar).first { return (file, false) }
        return names.reversed().lazy.compactMap { name -> (file: String, isEdited: Bool)? in
            let (stem, ending) = Self.parts(name.name)
            guard let hyphen = stem.lastIndex(of: "-") else { return nil }
            var original = name
            original.name = stem[..<hyphen] + ending
            return sidecar(original).map { ($0, true) }
        }.first
    }

    // MARK: Pictures

    /// - Parameter pictures: the paths of the pictures.
    /// - Returns: the entries, the newest first.
    func entries(_ pictures: [String]) -> [ImportEntry] {
        let found = pictures.map { (file: $0, sidecar: sidecar(of: $0)) }
        let edited = Set(found.compactMap { $0.sidecar?.isEdited == true ? $0.sidecar?.file : nil })
        var seen: Set<String> = []
        let entries = found.map { file, sidecar -> ImportEntry in
            guard let sidecar, let value = sidecars[sidecar.file] else {
                return ImportEntry(
                    file: file, id: nil, description: nil, location: nil, comments: [], refusal: Self.withoutSidecar)
            }
            // Albums have copies, and an edited copy is shown in place of its original.
            let size = (try? FileManager.default.attributesOfItem(atPath: "\(files.path)/\(file)"))?[.size]
            let copy =
                "\((file as NSString).lastPathComponent)\n\(value.date?.timeIntervalSince1970 ?? 0)\n\(size ?? "")"
            let skipped: ImportSkip? =
                if value.isPrivate || Self.isPutAside(file) {
                    .notPublic
                } else if !sidecar.isEdited && edited.contains(sidecar.file) || !seen.insert(copy).inserted {
                    .copy
                } else {
                    nil
                }
            return ImportEntry(
                file: file, id: nil, description: value.description, location: nil, comments: [],
                publishedAt: value.date,
                unnamed: Self.parts(value.title.isEmpty ? Self.name(of: file).name : value.title).stem,
                skipped: skipped)
        }
        return entries.enumerated().sorted {
            ($0.element.publishedAt ?? .distantPast, -$0.offset) > ($1.element.publishedAt ?? .distantPast, -$1.offset)
        }.map(\.element)
    }

    private static let withoutSidecar =
        "it has no JSON file of Google Photos beside it, which says whether it is archived or locked; copy the picture to "
        + "another folder to import it"

    /// Whether a file is in a folder of pictures that are put aside.
    private static func isPutAside(_ file: String) -> Bool {
        file.lowercased().split(separator: "/").dropLast().contains { privateFolders.contains($0) }
    }

    private static let privateFolders: Set<Substring> = [
        "archive", "trash", "bin", "locked folder", "archiv", "papierkorb", "gesperrter ordner", "corbeille",
        "dossier verrouillé", "archivo", "papelera", "carpeta privada", "arquivo", "lixeira", "pasta com bloqueio",
        "αρχειοθήκη", "κάδος", "κλειδωμένος φάκελος", "archivio", "cestino", "cartella bloccata",
    ]
}
