import HTTPTypes
import RPC
import ServiceKit

extension API {
    /// Answers with the numbers of the gateway and of its services. A service that does not answer in time is down.
    func metrics(_ request: EndpointRequest) async -> HTTPAnswer {
        guard metricsAccess.allows(request.caller) else {
            return HTTPAnswer(Problem(.permissionDenied, metricsAccess.refusal, trace: request.options.trace))
        }
        let format = MetricsFormat(accept: request.head.headerFields[.accept])
        var answer = HTTPAnswer(.ok)
        answer.fields[.contentType] = format.contentType
        answer.fields[.cacheControl] = "no-store"
        answer.fields[.vary] = "Accept"
        answer.body.writeString(await metricsDocument().text(format))
        return answer
    }

    private func metricsDocument() async -> MetricsDocument {
        let registry = gateway.registry
        let parts = await registry.map { plugin in
            async let statistics = plugin.statistics()
            let health = await plugin.health(CallOptions())
            return (GatewayHealth.Part(plugin: plugin, health: health), await statistics)
        }
        let plugins = parts.map { part, statistics in
            let isUp = if case .success = part.health { true } else { false }
            return MetricsDocument.Service(name: part.plugin.name, isUp: isUp, statistics: statistics)
        }
        let own = MetricsDocument.Service(name: "gateway", isUp: true, statistics: await statistics())
        let health = GatewayHealth.summary(parts.map(\.0), refused: registry.rejections, now: gateway.now())
        return MetricsDocument(
            version: version, services: [own] + plugins,
            health: [("gateway", health.status)] + health.checks.map { ($0.name, $0.status) },
            http: metrics.counts, queuedBytes: budget.heldBytes)
    }
}

extension MetricsAccess {
    /// Why a client gets no metrics.
    fileprivate var refusal: String {
        self == .off
            ? "metrics are off; the operator can switch them on with --metrics local"
            : "only clients on the server itself may read metrics, and not through a proxy; the operator can allow others "
                + "with --metrics all"
    }
}

extension Plugin {
    /// Nil for a service that has no statistics or does not answer, which `health` tells apart.
    fileprivate func statistics() async -> Statistics? {
        try? await client.call(ProtocolMethods.stats, ServiceSelection(), CallOptions(timeout: Self.probeTimeout))
    }
}
