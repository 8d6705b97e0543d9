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
                "location": TEXT, "comments":
                  [{"username": TEXT, "message": TEXT, "created_at": DATE}]}]

            Only "file" is required. Without a manifest all files are imported, ordered by \
            name, including those in subfolders, except hidden ones. Importing twice changes \
            nothing. Rejected files are listed, the others are imported, and the exit code is 65. \
            For a folder without any file it is 66.

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
        let importer = Importer(
            session: session, folder: folder,
            progress: { done, file in output.draw(bar.withLock { $0.update(to: done, label: file, at: .now) }) },
            refused: { file, reason in
                output.draw(bar.withLock { $0.clear() })
                output.complain("\(file): \(reason)")
            })
        defer { output.draw(bar.withLock { $0.clear() }) }
        let summary = try await importer.run(entries)
        output.draw(bar.withLock { $0.clear() })
        report(summary, session)
        if summary.refused > 0 { throw ExitCode(ErrorKind.invalidData.exitCode) }
    }

    private func report(_ summary: Importer.Summary, _ session: Session) {
        if session.asJSON {
            let counts = [
                "published": summary.published, "present": summary.present, "comments": summary.comments,
                "refused": summary.refused,
            ]
            session.output.print("\(RawJSON(counts, as: .dictionary(of: .integer())))")
        } else {
            let texts = Texts(session.language)
            let counts = [
                (TextKey.importPublished, summary.published), (.importPresent, summary.present),
                (.importRefused, summary.refused),
            ]
            session.output.print(counts.map { texts.text($0, "\($1)") }.joined(separator: ", "))
        }
    }
}
