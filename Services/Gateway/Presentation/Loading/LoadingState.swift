/// The state of a part of a page that can be loaded: a feed, a list of comments, a picture.
///
/// Every front end follows it, the script of the web page included; `Tests/PresentationTests/loading-state.json` has all transitions. A
/// resource needs nothing else: an endpoint, a mapper and a view model.
public struct LoadingState<Resource: Sendable>: Sendable {
    /// What is shown. It stays when a later load fails.
    public private(set) var resource: Resource?

    /// The message of the last failure, in the reader's language, until the reader hides it or loads again.
    public private(set) var error: String?

    public private(set) var isLoading = false

    public init() {}

    /// Begins a load, which hides the error.
    /// - Returns: false while a load is running: the caller must not begin a second one.
    public mutating func start() -> Bool {
        guard !isLoading else { return false }
        error = nil
        isLoading = true
        return true
    }

    /// Ends a load with its result. Without a running load, as after `cancel`, it changes nothing.
    public mutating func finish(_ resource: Resource) {
        guard isLoading else { return }
        self.resource = resource
        isLoading = false
    }

    /// Ends a load with what it loaded. A mapping that throws counts as a failure.
    public mutating func finish(message: (any Error) -> String, mapping: () throws -> Resource) {
        do { finish(try mapping()) } catch { fail(message(error)) }
    }

    /// Ends a load with an error. What was shown stays.
    public mutating func fail(_ message: String) {
        guard isLoading else { return }
        error = message
        isLoading = false
    }

    /// Ends a load without a result, because its part of the page is no longer shown.
    public mutating func cancel() { isLoading = false }

    /// Hides the error, because the reader has read it.
    public mutating func hideError() { error = nil }

    /// Changes what is shown without a load of its own: a further page has come, or the reader has hidden a part.
    public mutating func update(_ change: (inout Resource) -> Void) {
        guard var shown = resource else { return }
        change(&shown)
        resource = shown
    }

    /// Whether the part loads without a request by the reader: only when it appears for the first time.
    public var loadsOnAppearance: Bool { resource == nil && error == nil && !isLoading }
}

extension LoadingState: Equatable where Resource: Equatable {}
