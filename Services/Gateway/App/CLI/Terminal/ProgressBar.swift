/// A progress line that redraws itself in place. It writes nothing: its methods return what is to be written to
/// standard error, often an empty string.
///
/// Before writing anything else there the caller clears the bar; the next update draws it again.
struct ProgressBar: Sendable {
    static let redrawInterval: Duration = .milliseconds(100)

    private enum State {
        case silent
        case cleared
        case drawn(at: ContinuousClock.Instant)
    }

    private let columns: Int
    private var line: ProgressLine
    private var state: State

    /// Silent where standard error is no terminal, or one that cannot redraw a line.
    init(total: Int?, unit: ProgressLine.Unit = .items, on terminal: Terminal) {
        columns = terminal.columns
        line = ProgressLine(done: 0, total: total, unit: unit, label: "")
        state = terminal.understandsEscapes(.error) ? .cleared : .silent
    }

    mutating func update(to done: Int, label: String = "", at now: ContinuousClock.Instant) -> String {
        line = ProgressLine(done: done, total: line.total, unit: line.unit, label: label)
        guard isDue(at: now) else { return "" }
        state = .drawn(at: now)
        return drawing
    }

    /// Removes the bar from the screen.
    mutating func clear() -> String {
        guard case .drawn = state else { return "" }
        state = .cleared
        return "\r" + Self.clearToEndOfLine
    }

    /// Leaves the last state on the screen, on a line of its own. Nothing is drawn any more.
    mutating func finish() -> String {
        if case .silent = state { return "" }
        state = .silent
        return drawing + "\n"
    }

    private func isDue(at now: ContinuousClock.Instant) -> Bool {
        switch state {
        case .silent: false
        case .cleared: true
        case .drawn(let last): last.duration(to: now) >= Self.redrawInterval
        }
    }

    /// The last column stays free: a terminal that has filled it may have gone to the next line.
    private var drawing: String {
        "\r" + line.rendered(in: columns - 1) + Self.clearToEndOfLine
    }

    private static let clearToEndOfLine = "\u{1B}[K"
}
