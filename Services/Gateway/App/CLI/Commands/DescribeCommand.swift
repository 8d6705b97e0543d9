import ArgumentParser
import JSON
import RPC
import ServiceKit

struct DescribeCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "List the methods of the services, with their parameters and results.",
        discussion: """
            Examples:
              gateway describe                        all methods of all services
              gateway describe feed                   the methods of one service
              gateway describe feed.load              one method: its signature and its errors
              gateway describe feed.load --schema     with its JSON Schemas
              gateway describe feed.publish --template >items.json
                                                      parameters to fill in, for gateway call feed.publish @items.json
            """)

    static let isPaged = true

    static let parameterNames = ["service": "the service"]

    @OptionGroup var client: ClientOptions

    @Argument(help: ArgumentHelp("A service, or a method.", valueName: "service[.method]"), completion: .subjects)
    var subject: String?

    @Flag(help: "Print the JSON Schemas of the parameters and of the result too.") var schema = false
    @Flag(help: "Print parameters with an example of each, to fill in.") var template = false

    func validate() throws {
        if schema || template, subject?.contains(".") != true {
            throw ValidationError("--schema and --template need a method, for example feed.load")
        }
        if schema, template { throw ValidationError("--schema and --template exclude each other") }
    }

    func run(_ session: Session) async throws {
        let service = subject.map { String($0.prefix { $0 != "." }) }
        guard let subject, subject.contains(".") else {
            _ = try await session.show(ProtocolMethods.describe, ServiceSelection(service: service)) {
                DescriptionText(output: session.output).list($0)
            }
            return
        }
        let method = try await find(subject, session)
        if template {
            session.output.print(ParameterTemplate.tree(ParameterSchema(method.params)).rawJSON)
        } else if session.asJSON {
            session.output.print(RawJSON(method, as: MethodDescription.codec))
        } else {
            session.output.print(DescriptionText(output: session.output).text(method, withSchemas: schema))
        }
    }

    private func find(_ name: String, _ session: Session) async throws -> MethodDescription {
        // The hint needs the methods of all services.
        let methods = try await session.call(ProtocolMethods.describe, ServiceSelection()).contracts.flatMap(\.methods)
        if let method = methods.first(where: { $0.name == name }) { return method }
        // The protocol's own methods are in no contract.
        throw CommandFailure(
            RPCError(.methodNotFound, "no service has a method \(Escaping.visible(name))", begun: false),
            hints: MethodHints(methods: methods).missing(name))
    }
}

/// Formats descriptions of methods as text.
struct DescriptionText {
    let output: Output

    /// A line for each method.
    func list(_ description: ServiceDescription) -> String {
        let columns = [TextTable.Column("METHOD"), TextTable.Column("WHAT IT DOES", fit: .wrap)]
        let rows = description.contracts.flatMap(\.methods).map { [$0.name, $0.summary] }
        return TextTable(columns, rows: rows).rendered(in: output.columns, style: output.style)
    }

    /// The signature of a method, what it does, and its errors.
    func text(_ method: MethodDescription, withSchemas: Bool) -> String {
        let style = output.style
        let signature = Signature(method: method).lines.map(Escaping.visible).flatMap(folded)
        let errors = method.errors.map(\.rawValue).joined(separator: ", ")
        let facts = [
            output.folded(Escaping.visible(method.summary)),
            method.idempotent ? nil : output.folded("Not repeatable: a second call has a second effect."),
            output.folded("Errors: \(errors.isEmpty ? "those of every method" : errors)"),
        ]
        let schemas =
            withSchemas
            ? [
                "", style.bold("Parameters"), method.params.indented, "", style.bold("Result"),
                method.result.indented,
            ] : []
        let head = [style.bold(signature[0])] + signature.dropFirst() + [""]
        return (head + facts.compactMap(\.self) + schemas).joined(separator: "\n")
    }

    /// A line of a signature in lines that fit the terminal. Those after the first are indented.
    private func folded(_ line: String) -> [String] {
        guard let columns = output.columns else { return [line] }
        let indent = String(line.prefix { $0 == " " })
        let lines = Wrapping.lines(
            String(line.dropFirst(indent.count)), width: columns - indent.count, indent: "    ")
        return lines.map { indent + $0 }
    }
}
