import Foundation

/// Texts that cameras and programs write into every picture, and names of files. They say nothing about a picture.
enum CameraDefaults {
    /// - Parameter file: the name of the picture's file.
    static func contain(_ text: String, file: String) -> Bool {
        guard text.utf8.count <= longest else { return false }
        let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: " ")
        let name = (file as NSString).lastPathComponent
        return words.isEmpty || text == name || text == (name as NSString).deletingPathExtension
            || known.contains(words) || text.wholeMatch(of: camera) != nil || text.wholeMatch(of: fileName) != nil
    }

    private static let longest = 200

    private static let known: Set<String> = [
        "sony dsc", "minolta dsc", "samsung", "samsung camera pictures", "casio computer co ltd", "default", "untitled",
        "exif jpeg", "exif jpeg picture", "dcf", "dcim", "jenoptik", "lead technologies inc", "picasa", "screenshot",
        "file written by adobe photoshop", "created with gimp", "maker gd", "unknown", "none", "no title",
        // Modes of Huawei's cameras.
        "cof", "dav", "edf", "edfb", "hdr", "hdrpl", "mde", "nor", "norb", "oznor", "oznorb", "ozedf", "ozedfb", "ptr",
        "ptrb", "rhdr",
        "sdr", "sdrb", "vhdr", "bty", "btf", "btfb", "cuhdr", "binary comment", "ac",
    ]

    /// `OLYMPUS DIGITAL CAMERA`, `KODAK Digital Still Camera`.
    private static var camera: Regex<Substring> { /\s*(?:[\w.-]+ ){0,3}digital (?:still ?)?camera\s*/.ignoresCase() }

    /// A path or a name with an ending, or what a camera calls its files: `DCIM\100MEDIA\DJI_0001.JPG`, `IMG_1234`.
    private static var fileName: Regex<Substring> {
        /\s*(?:\S*\.(?:jpe?g|png|gif|webp|avif|hei[cf]|tiff?|bmp|psd|dng|nef|cr[23]|arw|orf|rw2|raf)|_?(?:IMGP?|MVIMG|PXL|DSC[FN]?|DJI|GOPR|G|GP|P|PICT|SAM|CIMG|MG|HPIM|DCP|WP|KIF|STA|SDC|VID|PANO|Screenshot)[_-]?\d{3,}[-_\w.]*|\d{8}_\d{6}\w*)\s*/
            .ignoresCase()
    }
}
