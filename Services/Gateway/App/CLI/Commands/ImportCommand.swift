import ArgumentParser
import FeedContract
import Foundation
import JSON
import Presentation
import RPC
import ServiceKit
import Synchronization

struct ImportCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Publish a folder of images.",
        discussion: """
            A manifest.json in the folder may list the images, from the top of the feed down:

              [{"file": "a.jpg", "id": UUID, "title": TEXT, "description": TEXT,
                "location": TEXT, "tags": [TEXT], "published_at": DATE,
                "alt": TEXT, "credit": TEXT, "license": TEXT, "source": URL,
                "sensitive": true,
                "comments":
                  [{"username": TEXT, "message": TEXT, "created_at": DATE, "id": UUID}]}]

            Each image needs "file", or else "image", a URL; author, licence and origin are read as credit, license and \
            source. For what the manifest does not name, the metadata of the picture's file count (XMP, IPTC, Exif): title, \
            description, alt, credit, license, source, tags, and city and country as location. The file of XMP beside \
            a picture, a.jpg.xmp or a.xmp, counts before the picture's own. A member without a value stays empty. Without a manifest all files are imported, including those in subfolders: those that have the date they \
            were taken, the newest on top, then the others by name. Hidden files and those of systems, such as \
            Thumbs.db and @eaDir, are skipped. Importing twice changes nothing, and completes an import that was \
            interrupted. Rejected files are reported, the others are imported, and the exit code is 65; --json lists them all. For a folder without \
            any file it is 66.

            The position where a picture was taken is removed from its metadata, except with --keep-position and for an \
            export of a feed. HEIC is converted to JPEG by libvips, where it is installed.

            The folder may also be the unpacked archive of a Mastodon account (with outbox.json), of an Instagram \
            account in the format JSON (with posts_1.json), or of a Flickr account (with photo_ID.json). The public posts \
            are imported with their texts, the newest at the top, with their dates, tags and alternative texts. Videos, \
            posts that not everybody could read, and sensitive posts without --sensitive, are skipped. Texts that are too long for \
            the feed are cut, and dates more than a day ahead are ignored; both are counted. An archive that is \
            not understood is refused as a whole.

            A folder of Google Photos from Google Takeout is imported as a folder of pictures, with the dates and texts of \
            the JSON files beside them. Archived, deleted and locked pictures, those of other people, and copies are skipped.

            Examples:
              gateway import ~/Pictures --dry-run
              gateway import ~/Pictures
              gateway import deploy/sample
            """)

    @OptionGroup var client: ClientOptions

    @Argument(help: "The folder.", completion: .directory) var folder: String

    @Flag(help: "Also import posts of an archive that are marked as sensitive; they are covered until a reader asks.")
    var sensitive = false

    @Flag(help: "Leave the position where a picture was taken in its metadata.") var keepPosition = false

    @Flag(help: "Do nothing if the feed has an item.") var ifEmpty = false

    @Flag(help: "List what would be published, left out or refused, and change nothing.") var dryRun = false

    func run(_ session: Session) async throws {
        if ifEmpty, try await !session.call(FeedContract.load, LoadFeed(limit: 1)).items.isEmpty { return }
        let folder = ImportFolder(path: folder, takesSensitive: sensitive)
        let contents = try folder.contents()
        let entries = contents.entries
        let output = session.output
        if !contents.unknownMembers.isEmpty {
            let names = contents.unknownMembers.prefix(RefusalLines.perReason).map { Escaping.visible($0) }
            let rest = contents.unknownMembers.count - names.count
            output.complain(
                Texts(session.language).text(
                    .importUnknown, names.joined(separator: ", ") + (rest > 0 ? ", … (+\(rest))" : "")))
        }
        let bar = Mutex(ProgressBar(total: entries.count, on: output.terminal))
        let lines = Mutex(RefusalLines(language: session.language))
        let stop = Interruption.Stop()
        let importer = Importer(
            session: session, folder: folder, keepsPositions: keepPosition || folder.isExport, isTrial: dryRun,
            stop: stop,
            progress: { done, file in output.draw(bar.withLock { $0.update(to: done, label: file, at: .now) }) },
            refused: { refusal in
                // With --json the summary lists them.
                guard !session.asJSON, let line = lines.withLock({ $0.add(refusal) }) else { return }
                output.draw(bar.withLock { $0.clear() })
                output.complain(line)
            })
        let (summary, failure) = try await Interruption.summarizing(Importer.Summary(), stop: stop) {
            try await importer.run(entries, &$0)
        }
        output.draw(bar.withLock { $0.clear() })
        for line in lines.withLock({ $0.rest }) { output.complain(line) }
        report(summary, contents, session)
        if let failure {
            let place = "\(summary.done)/\(entries.count)"
            throw CommandFailure(failure.error, hints: [Texts(session.language).text(.importStopped, place)])
        }
        if !summary.refusals.isEmpty { throw ExitCode(ErrorKind.invalidData.exitCode) }
    }

    private func report(_ summary: Importer.Summary, _ contents: ImportFolder.Contents, _ session: Session) {
        if session.asJSON {
            let report = Report(summary: summary, skipped: contents.skipped, notes: contents.notes)
            session.output.print(RawJSON(report, as: Report.codec))
        } else {
            let texts = Texts(session.language)
            for name in summary.planned { session.output.print(Escaping.visible(name)) }
            let counts = [
                (dryRun ? TextKey.importPlanned : .importPublished, summary.published),
                (.importPresent, summary.present),
                (.importRefused, summary.refusals.count),
            ]
            session.output.print(counts.map { texts.text($0, "\($1)") }.joined(separator: ", "))
            for reason in ImportSkip.allCases {
                if let count = contents.skipped[reason] { session.output.say(texts.text(reason.text, "\(count)")) }
            }
            for note in ImportNote.allCases {
                if let count = contents.notes[note] { session.output.say(texts.text(note.text, "\(count)")) }
            }
            if summary.positions > 0, summary.published > 0 {
                session.output.say(texts.text(.importPositions, "\(summary.positions)"))
            }
            if summary.incomplete > 0 { session.output.say(texts.text(.importIncomplete, "\(summary.incomplete)")) }
        }
    }
}

extension ImportSkip {
    fileprivate var text: TextKey {
        switch self {
        case .notPublic: .importSkippedPrivate
        case .sensitive: .importSkippedSensitive
        case .notPicture: .importSkippedOther
        case .system: .importSkippedSystem
        case .copy: .importSkippedCopy
        case .sidecar: .importSkippedSidecar
        }
    }
}

extension ImportNote {
    fileprivate var text: TextKey {
        switch self {
        case .cutText: .importNotedCut
        case .futureDate: .importNotedFuture
        case .damagedText: .importNotedDamaged
        }
    }
}

/// The JSON output.
private struct Report: Sendable {
    let summary: Importer.Summary
    let skipped: [ImportSkip: Int]
    let notes: [ImportNote: Int]

    static let codec = Codec<Report>.object { object in
        let published = object.required("published", .integer(), \.summary.published)
        let present = object.required("present", .integer(), \.summary.present)
        let planned = object.optional(
            "planned", .array(of: .string), { $0.summary.planned.isEmpty ? nil : $0.summary.planned })
        let comments = object.required("comments", .integer(), \.summary.comments)
        let incomplete = object.optional(
            "incomplete", .integer(), { $0.summary.incomplete == 0 ? nil : $0.summary.incomplete })
        let positions = object.optional(
            "positions_removed", .integer(), { $0.summary.positions == 0 ? nil : $0.summary.positions })
        let skipped = object.optional(
            "skipped", .dictionary(of: .integer()),
            { report in
                report.skipped.isEmpty
                    ? nil : Dictionary(uniqueKeysWithValues: report.skipped.map { ($0.rawValue, $1) })
            })
        let notes = object.optional(
            "notes", .dictionary(of: .integer()),
            { report in
                report.notes.isEmpty
                    ? nil : Dictionary(uniqueKeysWithValues: report.notes.map { ($0.rawValue, $1) })
            })
        let refused = object.required("refused", .integer(), \.summary.refusals.count)
        let refusals = object.required("refusals", .array(of: Importer.Refusal.codec), \.summary.refusals)
        return { members throws(JSONError) in
            _ = try members[refused]
            var summary = Importer.Summary(
                published: try members[published], present: try members[present], comments: try members[comments],
                incomplete: try members[incomplete] ?? 0, refusals: try members[refusals])
            summary.positions = try members[positions] ?? 0
            summary.planned = try members[planned] ?? []
            let counts = try members[skipped] ?? [:]
            let reasons = counts.compactMap { name, count in ImportSkip(rawValue: name).map { ($0, count) } }
            let changes = (try members[notes] ?? [:]).compactMap { name, count in
                ImportNote(rawValue: name).map { ($0, count) }
            }
            return Report(
                summary: summary, skipped: Dictionary(uniqueKeysWithValues: reasons),
                notes: Dictionary(uniqueKeysWithValues: changes))
        }
    }
}

extension Importer.Refusal {
    fileprivate static let codec = Codec<Importer.Refusal>.object { object in
        let file = object.required("file", .string, \.file)
        let reason = object.required("reason", .string, \.reason)
        return { members throws(JSONError) in Importer.Refusal(file: try members[file], reason: try members[reason]) }
    }
}
