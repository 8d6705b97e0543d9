import JSON
import RPC

/// Why a store cannot do what it was asked, whatever it is made of. The store has logged the details, and its check in `rpc.health`
/// has them.
///
/// The error's `details` name it, `{"store":"full"}`, because `unavailable` alone can also mean that the service does not answer.
public enum StoreError: String, AnsweredError, CaseIterable, CustomStringConvertible {
    case full

    /// Another process holds the store.
    case busy

    /// There is no store, or it cannot be read or written.
    case unreachable

    /// A part of the content cannot be read.
    case damaged

    /// Another program has written to the store, or has put another one in its place.
    case foreign

    public var answer: RPCError {
        let kind: ErrorKind = self == .damaged || self == .foreign ? .dataLoss : .unavailable
        return RPCError(kind, message, details: RawJSON(self, as: Self.codec))
    }

    private static let codec = Codec<StoreError>.object { object in
        let store = object.required("store", .oneOf, \.self)
        return { members throws(JSONError) in try members[store] }
    }

    public var description: String { message }

    private var message: String {
        switch self {
        case .full: "nothing was written: the service's disk is full; free some space and try again"
        case .busy: "nothing was written: another process holds the service's store; try again"
        case .unreachable: "the service's store cannot be used; its log and rpc.health say why"
        case .damaged: "the service's store is damaged; its log and rpc.health say what to do"
        case .foreign: "another program has written to the service's store; its log and rpc.health say what to do"
        }
    }
}

/// Runs an operation of a cache, without which the call still succeeds.
/// - Returns: nil also for a failing store, which has reported it already.
public func orNil<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result?
) async throws -> Result? {
    do {
        return try await body()
    } catch is StoreError {
        return nil
    }
}
