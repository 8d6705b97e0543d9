import ArgumentParser
import Foundation
import JSON
import Presentation
import RPC
import Synchronization

struct ImportCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Publish a folder of images.",
        discussion: """
            A manifest.json in the folder may list the images, from the top of the feed down:

              [{"file": "a.jpg", "id": UUID, "title": TEXT, "description": TEXT,
                "location": TEXT, "tags": [TEXT], "published_at": DATE,
                "comments":
                  [{"username": TEXT, "message": TEXT, "created_at": DATE, "id": UUID}]}]

            Each image needs "file", or else "image", a URL. Without a manifest all files are imported, ordered by \
            name, including those in subfolders, except hidden ones. Importing twice changes \
            nothing, and completes an import that was interrupted. Rejected files are listed, the others are \
            imported, and the exit code is 65. For a folder without any file it is 66.

            The folder may also be the unpacked archive of a Mastodon account (with outbox.json), or of an Instagram \
            account in the format JSON (with posts_1.json). The public posts are imported with their texts, the newest \
            at the top. Videos, and the posts and messages that not everybody could read, are refused.

            Examples:
              gateway import ~/Pictures
              gateway import deploy/sample
            """)

    @OptionGroup var client: ClientOptions

    @Argument(help: "The folder.", completion: .directory) var folder: String

    func run(_ session: Session) async throws {
        let folder = ImportFolder(path: folder)
        let entries = try folder.entries()
        let output = session.output
        let bar = Mutex(ProgressBar(total: entries.count, on: output.terminal))
        let stop = Interruption.Stop()
        let importer = Importer(
            session: session, folder: folder, stop: stop,
            progress: { done, file in output.draw(bar.withLock { $0.update(to: done, label: file, at: .now) }) },
            refused: { refusal in
                output.draw(bar.withLock { $0.clear() })
                // With --json the summary lists them.
                if !session.asJSON { output.complain("\(refusal.file): \(refusal.reason(in: session.language))") }
            })
        let (summary, failure) = try await Interruption.summarizing(Importer.Summary(), stop: stop) {
            try await importer.run(entries, &$0)
        }
        output.draw(bar.withLock { $0.clear() })
        report(summary, session)
        if let failure {
            let place = "\(summary.done)/\(entries.count)"
            throw CommandFailure(failure.error, hints: [Texts(session.language).text(.importStopped, place)])
        }
        if !summary.refusals.isEmpty { throw ExitCode(ErrorKind.invalidData.exitCode) }
    }

    private func report(_ summary: Importer.Summary, _ session: Session) {
        if session.asJSON {
            session.output.print(RawJSON(summary, as: Importer.Summary.codec))
        } else {
            let texts = Texts(session.language)
            let counts = [
                (TextKey.importPublished, summary.published), (.importPresent, summary.present),
                (.importRefused, summary.refusals.count),
            ]
            session.output.print(counts.map { texts.text($0, "\($1)") }.joined(separator: ", "))
            if summary.untagged > 0 { session.output.say(texts.text(.importUntagged, "\(summary.untagged)")) }
        }
    }
}

extension Importer.Summary {
    /// The JSON output.
    fileprivate static let codec = Codec<Importer.Summary>.object { object in
        let published = object.required("published", .integer(), \.published)
        let present = object.required("present", .integer(), \.present)
        let comments = object.required("comments", .integer(), \.comments)
        let untagged = object.optional("untagged", .integer(), { $0.untagged == 0 ? nil : $0.untagged })
        let refused = object.required("refused", .integer(), \.refusals.count)
        let refusals = object.required("refusals", .array(of: Importer.Refusal.codec), \.refusals)
        return { members throws(JSONError) in
            _ = try members[refused]
            return Importer.Summary(
                published: try members[published], present: try members[present], comments: try members[comments],
                untagged: try members[untagged] ?? 0, refusals: try members[refusals])
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
