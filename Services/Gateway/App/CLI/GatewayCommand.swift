import ArgumentParser
import Foundation
import ServiceKit

/// The command line program. `serve` runs the gateway; every other command is a client of a running gateway.
@main
struct GatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Run the gateway of an image feed, or call it.",
        discussion: """
            Examples:
              gateway feed                              the newest images
              gateway feed --all --json                 the whole feed, one page per line
              gateway browse                            the feed in the whole terminal, with pictures
              gateway watch                             published and removed images, live
              gateway comments IMAGE_ID                 the comments of an image
              gateway image IMAGE_ID                    a picture in the terminal
              gateway image IMAGE_ID -o picture.jpg     the bytes of an image
              gateway import ~/Pictures                 publish a folder
              gateway export ~/backup                   write the feed into a folder
              gateway call feed.load limit=3            any method of any service
              gateway health                            the state of the services
              gateway stats feed                        calls and latencies of a service
              gateway verify likes                      play the cases of a contract
              gateway backup /backup --keep 7           copy the deployment

            Exit codes:
              0    done
              1    health: degraded; verify, contract diff: a difference; check: a fault
              64   invalid usage
              65   invalid data
              66   not found
              69   a service does not answer, or cannot write
              70   internal error; see the service's log
              73   the id exists with other content, the folder has other files, or a backup or the settings cannot be written
              74   stored data is damaged, or the result cannot be written
              75   timeout or overload: try again
              77   permission denied
              130  cancelled

            Results go to standard output, messages to standard error. \
            Use NO_COLOR=1 or --color never to disable colours. \
            Options may precede the subcommand: gateway --root DIR feed.
            """,
        version: ServiceProcess.version,
        subcommands: [
            ServeCommand.self, FeedCommand.self, BrowseCommand.self, WatchCommand.self, CommentsCommand.self,
            ImageCommand.self,
            CommentCommand.self, ImportCommand.self, ExportCommand.self, PublishCommand.self, RemoveCommand.self,
            PluginsCommand.self, DescribeCommand.self, CallCommand.self, VerifyCommand.self, ContractCommand.self,
            WriteClientCommand.self, HealthCommand.self, StatsCommand.self, ConfigCommand.self,
            BackupCommand.self, RestoreCommand.self, CheckCommand.self, CopyCommand.self, WriteHelpCommand.self,
        ] + PluginClients.all.map { $0.command })

    static func main() async {
        if CommandLine.arguments.dropFirst().first == RunPlugin.name {
            exit(withError: ExitCode(RunPlugin.become(Array(CommandLine.arguments.dropFirst(2)))))
        }
        let arguments = LeadingOptions.moved(Array(CommandLine.arguments.dropFirst()))
        var command: any ParsableCommand
        do {
            command = try await asyncParseAsRoot(arguments)
            if command is ServeCommand {
                command = try ServeCommand.configured(Array(arguments.dropFirst()))
            }
        } catch let rejection as FileRejection {
            exit(with: rejection)
        } catch {
            UsageReport(error, of: arguments).exit()
        }
        do {
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as ValidationError {
            // The library would print the usage of `gateway`.
            Output(terminal: .live(), color: .auto).complain(error.message)
            exit(withError: ExitCode.validationFailure)
        } catch let rejection as FileRejection {
            exit(with: rejection)
        } catch let refused as DeploymentSettings.Refused {
            exit(with: refused)
        } catch let failure as CommandFailure {
            let report = ErrorReport(failure)
            Output(terminal: .live(), color: .auto).report(report)
            exit(withError: ExitCode(report.exitCode))
        } catch {
            HelpWidth.raise()
            exit(withError: error)
        }
    }

    private static func exit(with rejection: some CustomStringConvertible) -> Never {
        Output(terminal: .live(), color: .auto).complain("\(rejection)")
        exit(withError: ExitCode(EX_CONFIG))
    }
}
