import Foundation

/// The contracts that every gateway carries, as folders of cases.
public enum ContractCases {
    /// Their names, in alphabetical order.
    public static var names: [String] {
        // Without its resources a gateway carries no contracts; `folder` then knows none.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Bundle.module.bundlePath)) ?? []
        return names.filter { folder(ifPresent: $0) != nil }.sorted()
    }

    /// The folder of a contract; nil for an unknown one.
    public static func folder(_ name: String) -> String? { names.contains(name) ? folder(ifPresent: name) : nil }

    private static func folder(ifPresent name: String) -> String? {
        let path = "\(Bundle.module.bundlePath)/\(name)"
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue ? path : nil
    }
}
