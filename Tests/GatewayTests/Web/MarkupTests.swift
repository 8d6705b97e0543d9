import Foundation
import Presentation
import Testing

@testable import gateway

struct MarkupTests {
    @Test(arguments: [
        ("plain Ελληνικά 👩‍👩‍👧", "plain Ελληνικά 👩‍👩‍👧"),
        ("<a href=\"x\" title='y'>&", "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;"),
        // A combining accent makes one character of both.
        ("\"\u{301} onclick=x <\u{338}b>", "&quot;\u{301} onclick=x &lt;\u{338}b&gt;"),
        ("a\u{0}\u{7}\u{1B}\u{7F}\u{9B}\r\nb\tc", "a\nb\tc"),
        ("\u{202E}moor\u{202C} \u{2066}x\u{2069} \u{200F}", "moor x \u{200F}"),
    ])
    func `texts are escaped, and characters that change other texts are removed`(text: String, escaped: String) {
        #expect(Markup().escapeText(text) == escaped)
    }

    @Test func `templates name only texts that exist, and escape everything`() {
        let names = Set(Templates.texts(.en).keys)
        #expect(Templates.sources.count >= 7)
        for (name, source) in Templates.sources {
            for match in source.matches(of: /\{\{[#^\/]?t\.(\w+)\}\}/) {
                #expect(names.contains(String(match.output.1)), "\(name): \(match.output.0)")
            }
            #expect(!source.contains("{{{") && !source.contains("{{&"), "\(name) has an unescaped value")
            // The policy of pages permits no code, and of styles only the ratios of pictures are meant.
            let styles = source.replacing(#" style="--ratio: {{ratio}}""#, with: "")
            #expect(!styles.contains("style=") && !source.contains("onclick"), "\(name)")
            // Texts come from Presentation: outside tags and members there are no words but those on keys.
            let words = source.replacing(/<kbd>[^<]*<\/kbd>/, with: "").replacing(
                /<[^>]*>|\{\{[^}]*\}\}|&\w+;/, with: " "
            )
            .matches(of: /\w{2,}/).map {
                String($0.output)
            }
            #expect(words.isEmpty, "\(name): \(words)")
        }
    }
}
