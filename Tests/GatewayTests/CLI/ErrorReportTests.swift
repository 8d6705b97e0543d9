import Presentation
import RPC
import RPCTestKit
import Testing

@testable import gateway

@Suite struct ErrorReportTests {
    private func report(
        _ error: RPCError, _ language: Language = .en, isTranslated: Bool = false, hints: [String] = []
    ) -> ErrorReport {
        ErrorReport(
            CommandFailure(error, hints: hints),
            ErrorReport.Context(
                language: language, place: .socket("/s"), isTranslated: isTranslated,
                parameterNames: ["limit": "--limit"]),
            trace: TraceContext(parent: "00-11111111111111111111111111111111-2222222222222222-01"))
    }

    @Test func `a parameter has the name of its option`() {
        let error = RPCError(.invalidParams, "params.limit: must be from 1 to 100, is 0", service: "gateway")
        #expect(report(error).line == "--limit: must be from 1 to 100, is 0 (invalid_params)")
        let other = RPCError(.invalidParams, "params.limits: must not be there", service: "gateway")
        #expect(report(other).message == "params.limits: must not be there")
    }

    @Test func `a message is in one language only`() {
        let error = RPCError(.unavailable, "the disk is full", service: "feed")
        #expect(report(error).message.hasSuffix(": feed: the disk is full"))
        // No text of another language has the detail.
        #expect(report(error, .ptBR) == report(error))
        let presented = RPCError(.notFound, "Não há nenhuma imagem X no feed", service: "feed")
        #expect(report(presented, .ptBR, isTranslated: true).message == presented.message)
        let local = RPCError(.notFound, "cannot read folder /x: it does not exist")
        #expect(report(local, .ptBR).line == local.message)
    }

    @Test func `an error of a service that is logged has the trace id, others have none`() {
        #expect(report(RPCError(.unavailable, "x", service: "feed")).traceID == String(repeating: "1", count: 32))
        #expect(report(RPCError(.notFound, "x", service: "feed")).traceID == nil)
        #expect(report(RPCError(.invalidData, "x")).traceID == nil)
    }

    @Test(arguments: [
        (
            GatewayPlace.missing("/my feed"),
            ["There is no deployment in /my feed", "Start all services: deploy/up --root '/my feed'"]
        ),
        (.stopped("/f", option: ""), ["The deployment in /f is stopped", "Start all services: deploy/up"]),
        (
            .stopped("/f", option: " --root x"),
            ["The deployment in /f is stopped", "Start all services: deploy/up --root x"]
        ),
        (.socket("/s.sock"), ["No gateway is running at /s.sock"]),
    ])
    func `a stopped deployment is told from a missing one`(place: GatewayPlace, hints: [String]) {
        let all = hints + ["For another deployment use --root DIR, or --socket PATH"]
        #expect(place.hints(Texts(.en)) == all)
    }

    @Test func `the place of a gateway is a deployment if its directory is known`() async throws {
        func place(_ arguments: String...) throws -> GatewayPlace { try ClientOptions.parse(arguments).place }
        try await withTemporaryDirectory { root async throws in
            #expect(try place("--root", root) == .stopped(root, option: " --root \(root)"))
            #expect(try place("--root", root + "/none") == .missing(root + "/none"))
            #expect(try place("--socket", root + "/run/gateway.sock") == .stopped(root, option: ""))
            #expect(try place("--socket", root + "/x.sock") == .socket(root + "/x.sock"))
        }
    }

    @Test func `as JSON it has everything that a program needs`() {
        let error = RPCError(.notFound, "there is none", service: "feed")
        #expect(
            "\(report(error, hints: ["Try another"]).json)"
                == #"{"error":{"kind":"not_found","message":"Not found: feed: there is none","exit_code":66,"#
                + #""service":"feed","hints":["Try another"]}}"#)
    }
}
