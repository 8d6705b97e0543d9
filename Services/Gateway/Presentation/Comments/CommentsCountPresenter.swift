import Foundation

/// Presents the number of an image's comments.
public enum CommentsCountPresenter {
    /// "1 comment", "1,234 comments"; for 0 the text of an empty list, because the languages differ in the plural of
    /// zero.
    public static func text(_ count: Int, language: Language) -> String {
        let texts = Texts(language)
        guard count > 0 else { return texts[.commentsEmpty] }
        let number = count.formatted(.number.locale(language.locale))
        return texts.text(count == 1 ? .commentsCountOne : .commentsCountOther, number)
    }
}
