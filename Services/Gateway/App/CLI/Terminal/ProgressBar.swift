/// A progress line that redraws itself in place. It has no side effects: its methods return the text to write to
/// standard error, often an empty string.
///
/// The caller clears the bar before it writes anything else to standard error; the next update draws it again.
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

    /// Silent if standard error is not a terminal, or cannot redraw a line.
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

    /// Leaves the last state on the screen and ends the line. Later updates draw nothing.
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

    /// The last column remains empty, because terminals may wrap after a character there.
    private var drawing: String {
        "\r" + line.rendered(in: columns - 1) + Self.clearToEndOfLine
    }

    private static let clearToEndOfLine = "\u{1B}[K"
}
