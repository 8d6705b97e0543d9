import ArgumentParser
import JSON
import ServiceKit

/// Decides which manifests are in force, without a running gateway. `deploy/runner` runs their programs.
struct ManifestsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manifests",
        abstract: "Print the manifests in force and those that are refused, as JSON.",
        shouldDisplay: false)

    @OptionGroup var rootOption: RootOption

    func run() throws {
        let root = rootOption.root
        let source = ManifestSource(of: root, ownSocket: root.socket("gateway"))
        let decision = try source.decideAndRecord(after: [])
        Output(terminal: .live(), color: .never).print(RawJSON(decision, as: ManifestDecision.codec))
    }
}
