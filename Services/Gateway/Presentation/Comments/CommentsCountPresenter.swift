import Foundation

/// Presents how many comments an image has.
public enum CommentsCountPresenter {
    /// "1 comment", "1,234 comments"; without any, the text of an empty list, as the languages disagree on zero's plural.
    public static func text(_ count: Int, language: Language) -> String {
        let texts = Texts(language)
        guard count > 0 else { return texts[.commentsEmpty] }
        let number = count.formatted(.number.locale(language.locale))
        return texts.text(count == 1 ? .commentsCountOne : .commentsCountOther, number)
    }
}
