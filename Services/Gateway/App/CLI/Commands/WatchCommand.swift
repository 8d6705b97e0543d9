import ArgumentParser
import FeedContract
import JSON
import RPC

struct WatchCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show what is published and removed, as it happens, until Ctrl-C.",
        discussion: """
            Examples:
              gateway watch                          from now on
              gateway watch --json                   the events, one document a line
              gateway watch --json --since "$SEQ"    go on after an event that was seen before

            The first document of --json is {"seq":…,"reset":true}: load the feed then, and apply what follows. \
            When a connection is lost the watch goes on by itself where it stood, and nothing is lost or shown twice. \
            Only when the feed service was restarted is it unknown what has happened: that is a reset again.
            """)

    @OptionGroup var client: ClientOptions

    @Option(help: ArgumentHelp("Go on after the event with this seq.", valueName: "seq"))
    var since: String?

    func run(_ session: Session) async throws {
        // Without a seq it could not go on where it stood if it lost the connection before the first event.
        var since = since ?? ""
        var hasMark = self.since != nil
        var isFollowing = false
        var backoff = Backoff()
        while true {
            do {
                try await session.items(
                    of: FeedContract.watch.name, RawJSON(WatchFeed(since: since), as: WatchFeed.codec)
                ) { item in
                    let event = try item.read(as: FeedEvent.codec)
                    show(item, event, isMark: !hasMark, session)
                    (since, hasMark, isFollowing) = (event.seq, true, true)
                    backoff.reset()
                }
                // The service has ended it well, which it does not do by itself.
                return
            } catch let error as RPCError {
                isFollowing = isFollowing || error.begun
                guard isFollowing, error.kind.isRetryable, session.hasTimeForStreams else { throw error }
                if error.begun {
                    session.output.complain("\(error.message); going on as soon as somebody answers")
                }
                try await Task.sleep(for: max(backoff.next(), .milliseconds(error.retryAfter ?? 0)))
            }
        }
    }

    /// - Parameter isMark: whether it was asked for only to have something to go on from.
    private func show(_ item: RawJSON, _ event: FeedEvent, isMark: Bool, _ session: Session) {
        if session.asJSON {
            session.output.print("\(item)")
        } else if isMark {
            session.output.say("Watching the feed; Ctrl-C ends it.")
        } else {
            let text = FeedEventText(output: session.output, language: session.language, route: client.route)
            for line in text.lines(event) { session.output.print(line) }
        }
    }
}
