extension TraceContext {
    /// The trace of the call that the current task handles; empty outside of calls.
    @TaskLocal public static var current = TraceContext()
}
