import ArgumentParser
import Foundation
import JSON
import Presentation
import RPC
import ServiceKit
import Synchronization

struct ExportCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the feed into a folder that import takes back.",
        discussion: """
            The folder gets the bytes of each image in a file, and a manifest.json with ids, texts, dates and comments. \
            Importing it into an empty deployment gives the same feed. The folder must be new, empty or an earlier export. \
            A second export loads only the images whose bytes have changed, and completes one that was interrupted. Files of \
            removed images remain.

            An image whose bytes cannot be loaded is reported and listed with its URL, and the exit code is 65. An edge asks \
            its upstream for the comments that it does not have; what it cannot get is reported, and the exit code is 1.

            Examples:
              gateway export ~/backup
              gateway import ~/backup --root OTHER
            """)

    @OptionGroup var client: ClientOptions

    @Argument(help: "The folder to write: new, empty or an earlier export.", completion: .directory) var folder: String

    func run(_ session: Session) async throws {
        let folder = ExportFolder(path: folder)
        try folder.prepare()
        let output = session.output
        let bar = Mutex(ProgressBar(total: nil, on: output.terminal))
        let exporter = Exporter(
            session: session, folder: folder,
            progress: { done, label in output.draw(bar.withLock { $0.update(to: done, label: label, at: .now) }) },
            missing: { item, error in
                output.draw(bar.withLock { $0.clear() })
                let reason = error.reason(in: session.language)
                output.complain("\(item.id.uuidString): \(Escaping.visible(item.image)): \(reason)")
            })
        let (summary, failure) = try await Interruption.summarizing(Exporter.Summary()) { try await exporter.run(&$0) }
        output.draw(bar.withLock { $0.clear() })
        if let failure {
            let hint = Texts(session.language).text(.exportStopped, "\(summary.items)")
            throw CommandFailure(failure.error, hints: failure.hints + [hint], exitCode: failure.exitCode)
        }
        report(summary, session)
        if summary.isOfEdge, summary.missing + summary.withoutComments > 0 { throw ExitCode(EXIT_FAILURE) }
        if summary.missing > 0 { throw ExitCode(ErrorKind.invalidData.exitCode) }
    }

    private func report(_ summary: Exporter.Summary, _ session: Session) {
        if session.asJSON {
            session.output.print(RawJSON(summary, as: Exporter.Summary.codec))
        } else {
            let texts = Texts(session.language)
            let counts = [
                (TextKey.exportImages, summary.items), (.exportComments, summary.comments),
                (.exportWritten, summary.written), (.exportMissing, summary.missing),
            ]
            session.output.print(counts.map { texts.text($0, "\($1)") }.joined(separator: ", "))
            if summary.withoutComments > 0 {
                session.output.say(texts.text(.exportCommentsMissing, "\(summary.withoutComments)"))
            }
        }
    }
}

extension Exporter.Summary {
    /// The JSON output.
    fileprivate static let codec = Codec<Exporter.Summary>.object { object in
        let items = object.required("items", .integer(), \.items)
        let comments = object.required("comments", .integer(), \.comments)
        let written = object.required("written", .integer(), \.written)
        let missing = object.required("missing", .integer(), \.missing)
        let without = object.optional(
            "comments_missing", .integer(), { $0.withoutComments == 0 ? nil : $0.withoutComments })
        return { members throws(JSONError) in
            Exporter.Summary(
                items: try members[items], comments: try members[comments], written: try members[written],
                missing: try members[missing], withoutComments: try members[without] ?? 0)
        }
    }
}
