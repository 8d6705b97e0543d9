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

    /// Until the user quits.
    func run(_ browser: Browser, _ inputs: AsyncStream<Input>) async {
        let (events, sink) = AsyncStream.makeStream(of: BrowserEvent.self)
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await input in inputs { sink.yield(.input(input)) }
                sink.yield(.stopped)
            }
            group.addTask {
                for await signal in await UnixSignalsSequence(trapping: .sigwinch, .sigterm, .sighup, .sigint) {
                    guard signal == .sigwinch else {
                        sink.yield(.stopped)
                        continue
                    }
                    if let size = ScreenSize.live() { sink.yield(.resized(size)) }
                }
            }
            var loop = Loop(session: self, browser: browser, sink: sink)
            loop.perform(loop.browser.start(), in: &group)
            for await event in events {
                loop.handle(event, in: &group)
                if loop.hasEnded { break }
            }
            group.cancelAll()
        }
    }

    /// The state of the loop over the events.
    private struct Loop {
        let session: BrowserSession
        var browser: Browser
        let sink: AsyncStream<BrowserEvent>.Continuation
        var hasEnded = false
        private var painter = FramePainter()

        /// Ends a load when it is finished. Present while the load is running.
        private var cancels: [BrowserTicket: AsyncStream<Never>.Continuation] = [:]

        init(session: BrowserSession, browser: Browser, sink: AsyncStream<BrowserEvent>.Continuation) {
            (self.session, self.browser, self.sink) = (session, browser, sink)
        }

        mutating func handle(_ event: BrowserEvent, in group: inout DiscardingTaskGroup) {
            switch event {
            case .loaded(let ticket, _), .failed(let ticket, _): cancels.removeValue(forKey: ticket)?.finish()
            case .input, .resized, .stopped: break
            }
            if case .resized = event { painter.forget() }
            perform(browser.handle(event), in: &group)
        }

        mutating func perform(_ actions: [BrowserAction], in group: inout DiscardingTaskGroup) {
            let output = session.terminal.output
            for action in actions {
                switch action {
                case .begin(let ticket):
                    let (cancelled, cancel) = AsyncStream.makeStream(of: Never.self)
                    cancels[ticket] = cancel
                    let (session, sink, language) = (session, sink, browser.language)
                    group.addTask {
                        if let event = await session.load(ticket, language, until: cancelled) { sink.yield(event) }
                    }
                case .cancel(let ticket): cancels.removeValue(forKey: ticket)?.finish()
                case .release(let picture): output.write(Array(painter.release(picture).utf8))
                case .suspend:
                    session.terminal.suspend(entering: FramePainter.entering, leaving: FramePainter.leaving)
                    painter.forget()
                    if let size = ScreenSize.live() { sink.yield(.resized(size)) }
                case .quit: hasEnded = true
                }
            }
            let frame = BrowserView(browser: browser, fitter: session.fitter).frame
            output.write(Array(painter.paint(frame, base: browser.theme.base).utf8))
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
