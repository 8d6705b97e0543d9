import ArgumentParser
import FeedContract
import JSON
import Presentation
import RPC

struct WatchCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show published and removed images as they change, until Ctrl-C.",
        discussion: """
            Examples:
              gateway watch                          show changes from now on
              gateway watch --json                   print the events, one document per line
              gateway watch --json --since "$SEQ"    resume after a known event

            The first document of --json is {"seq":…,"reset":true}: load the feed then, and apply the events that \
            follow. After a lost connection the command resumes at the last event, without gaps or duplicates. \
            When events are missing, for example after an edge was restarted, the command shows another reset.
            """)

    @OptionGroup var client: ClientOptions

    @Option(help: ArgumentHelp("Resume after the event with this seq.", valueName: "seq"))
    var since: String?

    func run(_ session: Session) async throws {
        // An empty seq requests a reset first, whose seq is needed to resume after a lost connection.
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
                // The service has ended the stream, which it does only at shutdown.
                return
            } catch let error as RPCError {
                if isFollowing, client.isEnd(ofStream: error) { return }
                isFollowing = isFollowing || error.begun
                guard isFollowing, error.kind.isRetryable, session.hasTimeForStreams else { throw error }
                if error.begun {
                    let reason = error.reason(in: session.language)
                    session.output.complain(Texts(session.language).text(.watchReconnecting, reason))
                }
                try await session.clock.sleep(for: max(backoff.next(), .milliseconds(error.retryAfter ?? 0)))
            }
        }
    }

    /// - Parameter isMark: whether this is the reset that was requested only for its seq.
    private func show(_ item: RawJSON, _ event: FeedEvent, isMark: Bool, _ session: Session) {
        if session.asJSON {
            session.output.print(line: item)
        } else if isMark {
            session.output.say(Texts(session.language)[.watchStarted])
        } else {
            let text = FeedEventText(output: session.output, language: session.language, route: client.route)
            for line in text.lines(event) { session.output.print(line) }
        }
    }
}
