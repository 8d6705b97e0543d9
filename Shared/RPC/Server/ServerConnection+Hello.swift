import JSON

extension ServerConnection {
    /// Agrees with a client on what to use between us, from the answer on.
    func greet(_ request: Request) -> (answer: Result<Reply, RPCError>, features: Features) {
        let hello: Hello.Request
        do throws(JSONError) {
            // Members that a later version adds to its greeting are no misunderstanding.
            hello = try request.params.read(as: ProtocolMethods.hello.params)
        } catch {
            return (.failure(RPCError(invalidParams: error)), [])
        }
        guard let version = hello.protocols.filter(Hello.protocols.contains).max() else {
            let versions = Hello.Versions(client: hello.protocols, server: Hello.protocols)
            let error = RPCError(
                .invalidRequest, "no common protocol version: this server speaks \(Hello.protocols)", begun: false,
                details: RawJSON(versions, as: Hello.Versions.codec))
            return (.failure(error), [])
        }
        saidHello = true
        clientName = hello.client?.name
        outbox.keep(
            toFrames: hello.limits?.frameBytes, transfers: hello.limits?.openTransfers,
            assembledBytes: hello.limits?.assembledBytes)
        let features = Features.supported.intersection(Features(names: hello.features ?? []))
        let answer = Hello.Answer(
            protocol: version, service: core.identity,
            contracts: Dictionary(core.contracts.map { ($0.name, $0.version) }, uniquingKeysWith: max),
            features: features.names, limits: core.limits)
        return (.success(Reply(answer, as: Hello.Answer.codec)), features)
    }
}
