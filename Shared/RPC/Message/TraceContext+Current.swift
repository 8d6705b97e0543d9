extension TraceContext {
    /// The trace of the call that is handled in this task, for what is done on its behalf; an empty one outside of calls.
    @TaskLocal public static var current = TraceContext()
}
