import ArgumentParser
import Foundation
import Logging
import Processes
import ServiceKit

/// The option for making variants.
struct VariantOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The program that makes smaller variants: the path of vipsthumbnail, or off.",
            discussion: """
                Default: vipsthumbnail on the PATH (Debian's package libvips-tools). Without it pictures are served in full \
                size, and the service reports that it is degraded. With off it does not.
                """, valueName: "path|off"))
    var variants: String?

    func validate() throws {
        guard let variants, !isOff, !isProgram(variants) else { return }
        throw ValidationError("--variants: \(variants) is not a program; name the path of vipsthumbnail, or off")
    }

    private func isProgram(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
            && FileManager.default.isExecutableFile(atPath: path)
    }

    private var isOff: Bool { variants == "off" }

    /// - Returns: nil for `off`.
    func maker(_ process: ServiceProcess) -> VariantMaker? {
        guard !isOff else { return nil }
        let program =
            variants.map(VipsThumbnail.init(path:))
            ?? VipsThumbnail(in: ProcessInfo.processInfo.environment["PATH"] ?? "")
        return VariantMaker(program.map(Thumbnailer.init), logger: process.logger, now: { Date() })
    }
}
