import Glibc
import NIOCore
import NIOPosix

/// How a client connects, and what happens to its calls when the connection is lost.
extension ClientCore {
    /// The current connection.
    var connection: ClientConnection? {
        switch state {
        case .greeting(let connection), .ready(let connection), .draining(let connection): connection
        case .connecting, .down, .stopped: nil
        }
    }

    /// Connects once.
    /// - Returns: fails when no connection was established.
    func connect() -> EventLoopFuture<NIOLoopBound<ClientConnection>> {
        // While the circuit is open, calls do not wait for the next attempt.
        if case .down = state {} else { state = .connecting }
        let core = NIOLoopBound(self, eventLoop: executor.loop)
        return ClientBootstrap(group: executor.loop)
            .channelOption(.recvAllocator, value: Transport.receiveBuffers)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ClientConnection(channel, core: core.value))
                }
            }
            .connect(to: path.address)
            .flatMap { channel in channel.peerCredentials.map { (channel, $0) } }
            .flatMapThrowing { channel, peer in
                let connection = try channel.pipeline.syncOperations.handler(type: ClientConnection.self)
                try core.value.opened(connection, peer)
                return NIOLoopBound(connection, eventLoop: channel.eventLoop)
            }
    }

    func opened(_ connection: ClientConnection, _ peer: PeerCredentials?) throws(RPCError) {
        switch state {
        case .connecting, .down: break
        case .greeting, .ready, .draining, .stopped: return connection.close()
        }
        guard let peer, peers.include(peer) else {
            connection.close()
            let who = peer.map { "user \($0.user)" } ?? "an unknown user"
            throw RPCError(.permissionDenied, "\(name) belongs to \(who)", begun: false)
        }
        do throws(RPCError) {
            try connection.greet(as: client)
        } catch {
            connection.close()
            throw error
        }
        circuit.reached()
        connection.openedAt = executor.readClock()
        state = .greeting(connection)
    }

    /// Records a failed attempt to connect.
    /// - Returns: whether the peer is only busy: it listens, but its backlog is full.
    @discardableResult
    func failed(_ error: any Error) -> Bool {
        switch state {
        case .connecting, .down: break
        case .greeting, .ready, .draining, .stopped: return false
        }
        if (error as? IOError)?.errnoCode == EAGAIN {
            circuit.reached()
            if !circuit.isOpen { state = .connecting }
            return true
        }
        lastFailure = error
        circuit.failedToConnect(now: executor.readClock())
        // A known peer may be restarting, so calls wait for it.
        if circuit.isOpen { goDown() } else { wakeForCircuit() }
        return false
    }

    /// Fails all calls: the circuit is open and the peer cannot be reached.
    private func goDown() {
        let reason = lastFailure.map { "cannot connect (\(self.reason(of: $0)))" } ?? "cannot connect"
        let error = lastFailure as? RPCError ?? unavailable(reason, begun: false)
        state = .down(error)
        report(standing.failedToConnect(attempts: circuit.failedAttempts, error.message))
        failWaiting(error)
    }

    private func wakeForCircuit() {
        if let deadline = circuit.patienceEnds { timer.wake(by: deadline) }
    }

    /// Applies the circuit's deadlines.
    /// - Returns: the next deadline.
    func enforceCircuit(now: NIODeadline) -> NIODeadline {
        switch state {
        case .connecting, .down:
            if circuit.losePatience(now: now) { goDown() }
            return circuit.patienceEnds ?? .distantFuture
        case .ready(let connection) where circuit.fault == .unstable:
            let proof = connection.openedAt + Circuit.shortestLife
            guard proof <= now else { return proof }
            circuit.lasted()
            reportGreeting(of: connection)
            return .distantFuture
        case .greeting, .ready, .draining, .stopped: return .distantFuture
        }
    }

    func isGreeted(_ connection: ClientConnection) {
        guard case .greeting(let current) = state, current === connection else { return }
        state = .ready(connection)
        keep(toCalls: connection.greeting?.limits.callsPerConnection)
        mismatch = connection.greeting.flatMap(unmet)
        if circuit.fault == .unstable {
            timer.wake(by: connection.openedAt + Circuit.shortestLife)
        } else {
            reportGreeting(of: connection)
        }
        sendWaiting()
    }

    private func reportGreeting(of connection: ClientConnection) {
        guard let change = standing.greeted(by: connection.greeting?.service.instance) else { return }
        report(change)
        if let mismatch { report(.incompatible(reason: mismatch.message)) }
    }

    /// The error if the peer does not offer all required contracts. A plain JSON-RPC peer announces none and is
    /// trusted.
    private func unmet(_ greeting: Hello.Answer) -> RPCError? {
        let missing = contracts.filter { name, versions in !(greeting.contracts[name].map(versions.include) ?? false) }
        guard !missing.isEmpty else { return nil }
        let wanted = missing.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", ")
        let offered = greeting.contracts.map { "\($0.key) \($0.value)" }.sorted().prefix(Self.offersNamed)
        let offers = offered.isEmpty ? "no contract" : offered.joined(separator: ", ")
        return unavailable("it does not offer \(wanted); it offers \(offers)", begun: false)
    }

    /// How many contracts of a peer an error names.
    private static let offersNamed = 8

    /// Why the peer cannot be used at all; nil if it can.
    func unfit(_ greeting: Hello.Answer) -> String? {
        if !Hello.protocols.contains(greeting.protocol) {
            return "it answers in version \(greeting.protocol) of the protocol; this client speaks \(Hello.protocols)"
        }
        if greeting.service.instance == ownInstance {
            return "it is this process itself, so every call would come back"
        }
        return nil
    }

    /// Why a peer refused `rpc.hello`, and whether the reason is the version of the protocol.
    func refusal(of error: RPCError) -> (reason: String, isIncompatible: Bool) {
        // Other details do not have these members.
        guard error.kind == .invalidRequest, let versions = try? error.details?.read(as: Hello.Versions.codec) else {
            return (error.message, false)
        }
        return ("it speaks versions \(versions.server) of the protocol; this client speaks \(Hello.protocols)", true)
    }

    /// The peer has sent something.
    func heard(_ connection: ClientConnection) {
        if !circuit.isSettled { settle() }
    }

    private func settle() {
        let wasOpen = circuit.isOpen
        circuit.heard()
        guard !circuit.isOpen else { return }
        stopProbing()
        // During the greeting, the answer to `rpc.hello` is reported instead.
        if wasOpen, case .ready = state { report(standing.answered()) }
    }

    /// - Parameter trace: the trace of the call that revealed the change.
    func report(_ change: PeerChange?, revealedBy trace: TraceContext = TraceContext()) {
        guard let change else { return }
        TraceContext.$current.withValue(trace) { onChange(change) }
    }

    /// The kernel has accepted bytes.
    func hasWritten(_ connection: ClientConnection) { sendWaiting() }

    func isDraining(_ connection: ClientConnection) {
        guard connection === self.connection else { return }
        state = .draining(connection)
        leaveIfDraining()
    }

    /// Closes the connection to a draining peer once all calls on it are answered; the peer waits for that.
    func leaveIfDraining() {
        if case .draining(let connection) = state, sentCount == 0 { connection.close() }
    }

    /// The server has refused the connection, or is incompatible. Calls fail until a later attempt succeeds.
    func refused(_ connection: ClientConnection, _ error: RPCError, isIncompatible: Bool = false) {
        guard connection === self.connection else { return }
        state = .down(error)
        report(standing.lost(isIncompatible ? .incompatible(reason: error.message) : .down(reason: error.message)))
        // A server that refused `rpc.hello` may have handled the requests sent with it.
        var sentError = error
        sentError.begun = error.kind == .unavailable
        for call in sentCalls { complete(call.id, .failure(sentError)) }
        failWaiting(error)
        connection.close()
    }

    /// Ends a connection that was lost or has received invalid data. Calls that were not sent wait for the next
    /// connection. So do, within the retry budget, those that may be handled twice.
    func broken(_ connection: ClientConnection, _ kind: ErrorKind, _ reason: String) {
        // Closing calls this method again; by then the calls have ended with the right reason.
        defer { connection.close() }
        if let current = self.connection {
            guard current === connection else { return }
            noteLoss(of: connection, isViolation: kind == .invalidData)
            if kind == .invalidData {
                // With several calls in progress, any of them may have revealed the change.
                let trace = sentCount == 1 ? sentCalls.first?.options.trace : nil
                report(standing.violated(reason), revealedBy: trace ?? TraceContext())
            }
        }
        let now = executor.readClock()
        for call in sentCalls where call.phase == .sent {
            let wasWhole = call.outgoing == nil
            if wasWhole || call.outgoing?.hasBegun == true { call.noteBegun() }
            call.forgetTransfers()
            if kind == .unavailable, case .connecting = state, mayGoAgain(call, wasWhole: wasWhole, now: now) {
                wait(call)
            } else {
                remove(call, .failure(RPCError(kind, "\(name): \(reason)")))
            }
        }
    }

    /// Updates the circuit after a lost connection. Calls wait for the next one, unless too many in a row were short.
    private func noteLoss(of connection: ClientConnection, isViolation: Bool) {
        let now = executor.readClock()
        var life: TimeAmount? = now - connection.openedAt
        if case .draining = state { life = nil }
        state = .connecting
        stopProbing()
        let wasOpen = circuit.isOpen
        circuit.lost(after: life, isViolation: isViolation, now: now)
        if let fault = circuit.fault, fault == .unstable || fault == .violating {
            let error = unavailable(because: fault)
            state = .down(error)
            if !wasOpen, !isViolation { report(standing.lost(.down(reason: error.message))) }
            failWaiting(error)
        } else {
            wakeForCircuit()
        }
    }

    /// - Parameter wasWhole: whether the whole request may have been sent. The peer does not handle a partial one.
    private func mayGoAgain(_ call: ClientCall, wasWhole: Bool, now: NIODeadline) -> Bool {
        if !wasWhole { return true }
        return call.options.isRepeatable == true && call.stream == nil && budget.take(now: now)
    }

    func stop() {
        let connection = connection
        state = .stopped
        timer.cancel()
        stopProbing()
        failWaiting(unavailable("the client has stopped", begun: false))
        for call in sentCalls { remove(call, .failure(unavailable("the client has stopped", begun: true))) }
        connection?.close()
    }

    func unavailable(_ reason: String, begun: Bool) -> RPCError {
        RPCError(.unavailable, "\(name): \(reason)", begun: begun)
    }

    /// Why calls fail while the circuit is open.
    func unavailable(because fault: Circuit.Fault) -> RPCError {
        let reason =
            switch fault {
            case .unreachable: "cannot connect"
            case .silent: "it does not answer"
            case .unstable: "its connections end soon after they began"
            case .violating: "it violates the protocol repeatedly"
            }
        return unavailable("\(reason); tried again in the background", begun: false)
    }

    private func reason(of error: any Error) -> String {
        (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
    }
}
