import ArgumentParser
import Foundation
import JSON
import RPC
import ServiceKit

/// Copies the stores of a deployment into others. Needs no running gateway.
struct CopyCommand: MaintenanceCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy the feed, its comments and its images into other stores.",
        discussion: """
            TARGET is the URL of a PostgreSQL database, or `files` for the SQLite files in ROOT/data. The stores that are copied are \
            those of the settings, and stay as they are. Afterwards the target has the same items and comments in the same order, and \
            the same images: the command prints how many, and a hash over all of them, which is equal for both stores.

            Services may run meanwhile, but then the target lacks what is written later. Stop the deployment and copy again: what is \
            there already is compared and not written again, also after an interruption. A target with items that this feed never had \
            is refused, and stays as it is.

            Not copied: the places of removed items (a client that still names one begins again), caches and the index of search, which \
            are made again. A copy does not change the settings: `gateway config set` does.

            Exit codes: 65 for a target with other items, 66 if there is no store yet, 69 if a store or the database cannot be used, \
            74 if a store is damaged, 75 if the services write more than is copied.

            Examples:
              gateway copy postgres://feed@db.example/feed
              deploy/down
              gateway copy postgres://feed@db.example/feed
              gateway config set services.store postgres://feed@db.example/feed
              deploy/up

              gateway copy files                  from the database into ROOT/data
            """)

    @OptionGroup var rootOption: RootOption

    @Argument(help: ArgumentHelp("The URL of a database, or `files`.", valueName: "target"))
    var target: String

    @Flag(help: "Print one JSON document: the number of entries and their hash, by service.") var json = false

    private static let files = "files"

    func validate() throws {
        guard target != Self.files else { return }
        do throws(DatabaseURL.Refusal) {
            guard try DatabaseURL(target) == nil else { return }
        } catch {
            throw ValidationError("\(error)")
        }
        throw ValidationError("the target must be the URL of a database (postgres://…), or files, not \(target)")
    }

    var output: Output { Output(terminal: .live(), color: .auto, asJSON: json) }

    func work(_ output: Output) async throws {
        let root = try rootOption.existing()
        var (copied, changing) = ([Copied](), ServiceProgram.Refusal?.none)
        for service in ServiceProgram.services {
            output.say("Copying \(service) …")
            do {
                copied.append(Copied(service: service, proof: try await copy(service, of: root)))
            } catch let refusal as ServiceProgram.Refusal where refusal.exitCode == EX_TEMPFAIL {
                // The others are copied nevertheless, so that the copy of the stopped deployment is short.
                changing = refusal
                output.say("\(service): \(refusal)")
            }
        }
        show(copied, output)
        if let changing { throw changing }
    }

    private func copy(_ service: String, of root: Root) async throws -> StoreProof {
        let place = target == Self.files ? root.store(service) : target
        let printed = try await ServiceProgram(name: service).run(
            ["--root", root.path, "--copy-to", place], isLong: true)
        return try RawJSON(checking: printed).read(as: StoreProof.codec)
    }

    private func show(_ copied: [Copied], _ output: Output) {
        if json { return output.print(RawJSON(copied, as: .array(of: Copied.codec))) }
        let columns = [
            TextTable.Column("STORE"), TextTable.Column("ENTRIES", align: .right), TextTable.Column("SHA-256 OF BOTH"),
        ]
        let table = TextTable(columns, rows: copied.map { [$0.service, "\($0.proof.count)", $0.proof.sha256] })
        output.print(table.rendered(in: output.columns, style: output.style))
    }

    /// The store of a service, and the proof that its copy is the same.
    private struct Copied {
        let service: String
        let proof: StoreProof

        static let codec = Codec<Copied>.object { object in
            let service = object.required("service", .string, \.service)
            let count = object.required("count", .integer(0...Int.max), \.proof.count)
            let sha256 = object.required("sha256", .string, \.proof.sha256)
            return { members throws(JSONError) in
                Copied(
                    service: try members[service],
                    proof: StoreProof(count: try members[count], sha256: try members[sha256]))
            }
        }
    }
}
