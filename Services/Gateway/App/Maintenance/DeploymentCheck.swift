import Foundation
import JSON
import ServiceKit

/// Lets the program of each service verify its stores, and compares the images that items name with those that are stored.
struct DeploymentCheck: Sendable {
    let root: Root
    let isRepair: Bool

    struct Report: Sendable, Equatable {
        var faults: [Fault] = []

        /// URLs of stored images that no item names. The bytes of removed items remain, so they are no fault.
        var orphans: [String] = []
    }

    struct Fault: Sendable, Equatable {
        let service: String
        let fault: StoreFinding.Fault
    }

    /// - Throws: `ServiceProgram.Refusal`, `CancellationError`, or the error of a directory that cannot be read.
    func run() async throws -> Report {
        var (report, all) = (Report(), [String: [StoreFinding]]())
        for service in ServiceProgram.services + (try plugins()) {
            let found = try await findings(of: service)
            all[service] = found
            report.faults += found.compactMap {
                if case .fault(let fault) = $0 { Fault(service: service, fault: fault) } else { nil }
            }
        }
        compare(all["feed"] ?? [], all["image-data"] ?? [], &report)
        return report
    }

    /// Plugins of ours, whose programs are installed beside the gateway.
    private func plugins() throws -> [String] {
        guard FileManager.default.fileExists(atPath: root.plugins) else { return [] }
        let files = try FileManager.default.contentsOfDirectory(atPath: root.plugins)
        let names = files.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.map { String($0.dropLast(5)) }
        return names.sorted().filter { !ServiceProgram.services.contains($0) && ServiceProgram(name: $0).isInstalled }
    }

    private func findings(of service: String) async throws -> [StoreFinding] {
        do {
            let lines = try await ServiceProgram(name: service).run(
                ["--root", root.path, "--verify"] + (isRepair ? ["--repair"] : []), isLong: true)
            return try lines.split(separator: UInt8(ascii: "\n")).map {
                try RawJSON(checking: $0).read(as: StoreFinding.codec)
            }
        } catch let refusal as ServiceProgram.Refusal where refusal.exitCode == EX_UNAVAILABLE && isRepair {
            throw ServiceProgram.Refusal(
                description: "\(service) runs; stop it first: deploy/down --root \(root.path.shellWord)",
                exitCode: EX_UNAVAILABLE)
        } catch let refusal as ServiceProgram.Refusal
            where refusal.exitCode == EX_USAGE && !ServiceProgram.services.contains(service)
        {
            // It has no store.
            return []
        }
    }

    private func compare(_ feed: [StoreFinding], _ images: [StoreFinding], _ report: inout Report) {
        let named = Set(feed.flatMap { if case .named(let urls) = $0 { urls } else { [String]() } })
        let lists = images.compactMap { if case .stored(let urls) = $0 { urls } else { nil } }
        // A damaged store has no list.
        guard !lists.isEmpty else { return }
        let stored = Set(lists.joined())
        // Those with another URL are fetched when they are first read.
        for url in named.subtracting(stored).filter({ $0.hasPrefix("urn:") }).sorted() {
            let reason = "an item of the feed names \(url), whose bytes are missing; import the picture again"
            report.faults.append(
                Fault(service: "image-data", fault: StoreFinding.Fault(store: root.store("image-data"), reason: reason))
            )
        }
        report.orphans = stored.subtracting(named).sorted()
    }
}

extension DeploymentCheck.Report {
    /// The JSON output.
    static let codec = Codec<DeploymentCheck.Report>.object { object in
        let faults = object.required("faults", .array(of: DeploymentCheck.Fault.codec), \.faults)
        let orphans = object.required("orphans", .array(of: .string), \.orphans)
        return { members throws(JSONError) in
            DeploymentCheck.Report(faults: try members[faults], orphans: try members[orphans])
        }
    }
}

extension DeploymentCheck.Fault {
    fileprivate static let codec = Codec<DeploymentCheck.Fault>.object { object in
        let service = object.required("service", .string, \.service)
        let store = object.required("store", .string, \.fault.store)
        let reason = object.required("reason", .string, \.fault.reason)
        let repair = object.optional("repair", .string, \.fault.repair)
        return { members throws(JSONError) in
            DeploymentCheck.Fault(
                service: try members[service],
                fault: StoreFinding.Fault(
                    store: try members[store], reason: try members[reason], repair: try members[repair]))
        }
    }
}
