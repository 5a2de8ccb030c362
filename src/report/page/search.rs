//! What a reader searches with; the script does the rest, and shows it only then.

use crate::report::html::Html;

/// The form. `what` is searched.
pub(super) fn form(html: &mut Html, what: &'static str) {
    html.markup("<form id=\"search\" role=\"search\" hidden><label for=\"find\">Find in ");
    html.text(what);
    html.markup(
        "</label><input id=\"find\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\">\
         <button type=\"button\" id=\"previous\">Previous</button>\
         <button type=\"submit\" id=\"next\">Next</button>\
         <output id=\"found\" for=\"find\"></output></form>",
    );
}
