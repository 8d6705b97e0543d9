import ArgumentParser
import ServiceKit

/// The program that operators and scripts use. `serve` is the gateway itself, every other command a client of a gateway
/// that runs.
@main
struct Gateway: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Compose the services of an image feed, and ask them.",
        discussion: """
            Examples:
              gateway feed                              the newest images
              gateway feed --all --json                 the whole feed, one page a line
              gateway watch                             what is published and removed, live
              gateway comments IMAGE_ID                 what people say about one
              gateway image IMAGE_ID -o picture.jpg     its bytes
              gateway import ~/Pictures                 publish a folder
              gateway call feed.load limit=3            any method of any service
              gateway health                            is everything up?
              gateway stats feed                        how much it has done, and how fast

            Exit codes:
              0    done
              1    health: degraded
              64   wrong use
              65   bad data
              66   not found
              69   nobody answers
              70   a fault of the service; its log says more
              73   it exists with other content
              74   stored data is damaged, or the result cannot be written
              75   too slow or too busy: try again
              77   not allowed
              130  cancelled

            Results go to standard output, words to standard error. \
            Without colours: NO_COLOR=1 or --color never.
            """,
        version: ServiceProcess.version,
        subcommands: [
            ServeCommand.self, FeedCommand.self, WatchCommand.self, CommentsCommand.self, ImageCommand.self,
            CommentCommand.self, ImportCommand.self, PublishCommand.self, RemoveCommand.self, PluginsCommand.self,
            DescribeCommand.self, CallCommand.self, HealthCommand.self, StatsCommand.self,
        ])
}
