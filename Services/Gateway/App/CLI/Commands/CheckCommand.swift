import ArgumentParser
import Foundation
import JSON
import RPC
import ServiceKit

/// Checks the data of a deployment. Needs no running gateway.
struct CheckCommand: MaintenanceCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check all stores of a deployment, and all bytes against their hashes.",
        discussion: """
            Each fault is one line, and the exit code is 1: a damaged store, image bytes that do not have their hash, and items whose \
            bytes are missing. Stored images that no item names are counted, but are no fault: `gateway remove` leaves \
            them. Services may run meanwhile.

            With --repair the deployment must be stopped. A damaged cache is renamed, and damaged bytes in a cache are deleted; both are \
            fetched again. Damaged bytes of an authority are moved into a folder beside the store; import the pictures again. A damaged \
            store of an authority stays: restore a backup.

            Examples:
              gateway check
              gateway check --json | jq -r '.faults[].reason'
              gateway check --repair
            """)

    @OptionGroup var rootOption: RootOption

    @Flag(help: "Repair what can be repaired. The deployment must be stopped.") var repair = false

    @Flag(help: "Print one JSON document: the faults, and the URLs of images that no item names.") var json = false

    var output: Output { Output(terminal: .live(), color: .auto, asJSON: json) }

    func work(_ output: Output) async throws {
        let report = try await DeploymentCheck(root: rootOption.existing(), isRepair: repair).run()
        if json {
            output.print(RawJSON(report, as: DeploymentCheck.Report.codec))
        } else {
            show(report, output)
        }
        if !report.faults.isEmpty { throw ExitCode(EXIT_FAILURE) }
    }

    private func show(_ report: DeploymentCheck.Report, _ output: Output) {
        for found in report.faults {
            let parts = [found.service, found.fault.store, found.fault.reason].joined(separator: ": ")
            output.print(Escaping.visible([parts, found.fault.repair].compactMap(\.self).joined(separator: "; ")))
        }
        if report.faults.isEmpty {
            output.print("No fault.")
        } else if !repair {
            output.say("After deploy/down, `gateway check --repair` repairs what it can: see its --help.")
        }
        guard !report.orphans.isEmpty else { return }
        output.say("\(report.orphans.count) stored images belong to no item; --json lists them.")
    }
}
