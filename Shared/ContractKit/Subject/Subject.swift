/// The implementation that is verified.
public enum Subject: Sendable {
    /// A running instance. Cases that need a fresh one are skipped.
    case socket(String)

    /// A command of the shell that starts an instance. `{root}` stands for a directory without data, `{socket}` for
    /// `{root}/run/NAME.sock`; the command listens on this or on another socket in `{root}/run`.
    case command(String)
}
