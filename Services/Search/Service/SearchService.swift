import ArgumentParser
import ServiceKit

/// The program: its options and its composition.
@main
struct SearchService: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search-service",
        abstract: "Index the images and comments of a feed, and find them by words.",
        version: ServiceProcess.version)

    @OptionGroup var options: ServiceOptions
}
