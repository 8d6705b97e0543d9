import EdgeModel
import Foundation
import GatewayContract

/// Something that the browser loads. Equal loads are never under way twice.
enum BrowserLoad: Sendable, Hashable {
    /// A page of the feed; the first one without an id.
    case feed(after: UUID?)
    case comments(of: UUID, after: UUID?)
    case picture(PictureRequest)
}

/// A picture in a box of cells.
struct PictureRequest: Sendable, Hashable {
    let url: String
    let hints: PictureHints
    let columns: Int
    let rows: Int
}

/// What a load returns.
enum BrowserResource: Sendable {
    case feed(FeedPageAnswer)
    case comments(CommentsAnswer)
    case picture(TerminalPicture)
}

/// One run of a load. A result with an old number is ignored.
struct BrowserTicket: Sendable, Hashable {
    let load: BrowserLoad
    let number: Int
}

/// What happens to the browser.
enum BrowserEvent: Sendable {
    case input(Input)
    case resized(ScreenSize)
    case loaded(BrowserTicket, BrowserResource)
    case failed(BrowserTicket, message: String)
    /// The process is asked to end, or the terminal is closed.
    case stopped
}

/// What the browser asks for.
enum BrowserAction: Sendable, Equatable {
    case begin(BrowserTicket)
    case cancel(BrowserTicket)
    case quit
}
