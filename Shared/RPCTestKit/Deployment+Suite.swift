import Testing

/// Starts one deployment for all tests of a suite, which find it as `Deployment.ofSuite`. Tests that stop a program, or need a feed
/// without the items of other tests, start their own.
public struct SuiteDeployment: SuiteTrait, TestScoping {
    let with: @Sendable (_ body: @Sendable (Deployment) async throws -> Void) async throws -> Void

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await with { deployment in try await Deployment.$current.withValue(deployment, operation: function) }
    }
}

extension Trait where Self == SuiteDeployment {
    /// One deployment for the suite.
    /// - Parameter imageData: further arguments of `image-data-service`.
    public static func deployment(imageData: [String] = []) -> Self {
        deployment { body in try await Deployment.with(imageData: imageData) { try await body($0) } }
    }

    /// One deployment for the suite, with a preparation.
    /// - Parameter with: starts and prepares it, calls the body with it, and stops it.
    public static func deployment(
        with: @escaping @Sendable (_ body: @Sendable (Deployment) async throws -> Void) async throws -> Void
    ) -> Self { SuiteDeployment(with: with) }
}

extension Deployment {
    @TaskLocal fileprivate static var current: Deployment?

    /// The deployment of a suite with the trait `deployment`.
    public static var ofSuite: Deployment {
        guard let current else { preconditionFailure("The suite of this test lacks the trait .deployment.") }
        return current
    }
}
