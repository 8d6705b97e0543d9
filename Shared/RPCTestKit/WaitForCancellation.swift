import Timing

/// Returns once the task is cancelled: the work of a peer that never answers.
public func waitForCancellation() async { await Watched(()).wait { _ in false } }
