import RPC

/// The result of a call, so that two calls can run at once and one may fail.
func result<Value: Sendable>(
    _ body: () async throws(RPCError) -> Value
) async -> Result<Value, RPCError> {
    do throws(RPCError) { return .success(try await body()) } catch { return .failure(error) }
}

extension Result {
    var value: Success? { if case .success(let value) = self { value } else { nil } }

    var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
