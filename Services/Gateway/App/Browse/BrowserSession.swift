import Foundation
import GatewayContract
import ImageDataContract
import Presentation
import RPC
import UnixSignals

/// Runs the browser in the terminal: draws its frames, and carries out its loads.
struct BrowserSession: Sendable {
    let session: Session
    let fitter: PictureFitter
    let terminal: RawTerminal

    /// Those of `signals`. They are trapped before the terminal changes: a signal must not end the process without leaving it.
    let trapped: UnixSignalsSequence

    static let signals: [UnixSignal] = [.sigwinch, .sigterm, .sighup, .sigint]

    /// Until the user quits.
    func run(_ browser: Browser, _ inputs: AsyncStream<Input>) async {
        let (events, sink) = AsyncStream.makeStream(of: BrowserEvent.self)
        // A terminal that is slow skips states, so inputs never wait for it.
        let (states, screen) = AsyncStream.makeStream(of: Browser.self, bufferingPolicy: .bufferingNewest(1))
        // One input is handled at a time; the others wait in `inputs`, which is bounded.
        let (handled, handling) = AsyncStream.makeStream(of: Void.self)
        await withDiscardingTaskGroup { group in
            group.addTask {
                var results = handled.makeAsyncIterator()
                for await input in inputs {
                    sink.yield(.input(input))
                    _ = await results.next()
                }
                sink.yield(.stopped)
            }
            group.addTask {
                for await signal in trapped {
                    guard signal == .sigwinch else {
                        sink.yield(.stopped)
                        continue
                    }
                    if let size = ScreenSize.live() { sink.yield(.resized(size)) }
                }
            }
            group.addTask {
                // Cancelled, or the terminal is gone, which ends the inputs too.
                try? await draw(states, resumed: sink)
            }
            var browser = browser
            // Ends a load when it is finished. Present while the load is running.
            var cancels: [BrowserTicket: AsyncStream<Never>.Continuation] = [:]
            func perform(_ actions: [BrowserAction]) -> Bool {
                for action in actions {
                    switch action {
                    case .begin(let ticket):
                        let (cancelled, cancel) = AsyncStream.makeStream(of: Never.self)
                        cancels[ticket] = cancel
                        let language = browser.language
                        group.addTask {
                            if let event = await load(ticket, language, until: cancelled) { sink.yield(event) }
                        }
                    case .cancel(let ticket): cancels.removeValue(forKey: ticket)?.finish()
                    case .quit: return false
                    }
                }
                screen.yield(browser)
                return true
            }
            _ = perform(browser.start())
            for await event in events {
                switch event {
                case .loaded(let ticket, _), .failed(let ticket, _): cancels.removeValue(forKey: ticket)?.finish()
                case .input, .resized, .stopped: break
                }
                guard perform(browser.handle(event)) else { break }
                if case .input = event { handling.yield() }
            }
            group.cancelAll()
        }
    }

    /// Draws states until the task is cancelled, and suspends the process when the user asks for it.
    private func draw(_ states: AsyncStream<Browser>, resumed: AsyncStream<BrowserEvent>.Continuation) async throws {
        var painter = FramePainter()
        var suspensions = 0
        for await browser in states {
            if browser.suspensions > suspensions {
                suspensions = browser.suspensions
                try await terminal.suspend(entering: FramePainter.entering, leaving: FramePainter.leaving)
                if let size = ScreenSize.live() { resumed.yield(.resized(size)) }
            } else {
                try await terminal.writer.write(painter.paint(BrowserView(browser: browser, fitter: fitter).frame))
            }
        }
    }

    // MARK: Loading

    /// - Parameter cancelled: ends when the load is cancelled.
    /// - Returns: nil when it was cancelled.
    private func load(
        _ ticket: BrowserTicket, _ language: Language, until cancelled: AsyncStream<Never>
    ) async -> BrowserEvent? {
        await withTaskGroup(of: BrowserEvent?.self) { group in
            group.addTask {
                do {
                    return .loaded(ticket, try await resource(ticket.load, language))
                } catch is CancellationError {
                    return nil
                } catch {
                    return .failed(ticket, message: message(error, language))
                }
            }
            group.addTask {
                for await _ in cancelled {}
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    private func resource(_ load: BrowserLoad, _ language: Language) async throws -> BrowserResource {
        switch load {
        case .feed(let after):
            return .feed(
                try await session.call(
                    GatewayContract.feedPage,
                    FeedPageRequest(limit: Self.page, afterID: after, locale: language.rawValue)))
        case .comments(let id, let after):
            return .comments(
                try await session.call(
                    GatewayContract.comments,
                    CommentsRequest(imageID: id, limit: Self.page, afterID: after, locale: language.rawValue)))
        case .picture(let request):
            let width = fitter.pixels(columns: request.columns, rows: request.rows).width
            // The picture has at least the width of the box, so that it is only made smaller.
            let loaded = try await session.call(
                ImageDataContract.load, LoadImage(url: request.url, width: width, accept: [.webp]))
            return .picture(
                try await fitter.picture(loaded.data.data, columns: request.columns, rows: request.rows))
        }
    }

    /// The number of items and of comments in a page.
    private static let page = 20

    private func message(_ error: any Error, _ language: Language) -> String {
        guard let error = error as? RPCError else {
            return ErrorPresenter.message(for: "invalid_data", language: language)
        }
        let isUnreached = error.kind == .unavailable && error.service == nil
        return ErrorPresenter.message(for: (isUnreached ? .connectivity : error.kind).rawValue, language: language)
    }
}
