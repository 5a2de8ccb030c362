//! Manifests over others.

use super::super::random::Random;
use super::super::scene::Scene;
use super::document;
use serde_json::json;

const BASE: &str = r#"promptc 1
root workspace default="../ws"
fact tone string default=calm
tier one {
    layer identity { text "You are careful." }
    layer style { text "Short."; template "Style: {{ tone }}. {{ content }}" }
    layer rules {
        all { file "a.md"; file "b.md" { budget 30 marker="~~" } }
        template "The rules\n{{ content }}"
    }
    layer goodbye { text "Ask at the end." }
}
"#;

/// Layers of a base that are refined.
pub(super) fn refined(r: &mut Random) -> Scene {
    let overlay = r#"promptc 1
extends "core/base.kdl"
layer house after=identity { file "h.md" }
refine rules { all { base where="name != 'b.md'"; file "c.md" } }
refine style { text "Friendly." }
"#;
    let mut s = Scene::new("refined", overlay);
    s.file("core/base.kdl", BASE);
    for path in ["ws/a.md", "ws/b.md", "ws/c.md", "ws/h.md"] {
        document(&mut s, r, path);
    }
    s.says("core/base.kdl", "You are careful.", "You are bold.");
    s.says("core/base.kdl", "The rules", "All the rules");
    s.says("core/base.kdl", "Short.", "Long.");
    s.says("core/base.kdl", "Ask at the end.", "Ask at once.");
    s.lays("promptc.kdl", "Friendly.", "Plain.");
    s.lays("promptc.kdl", " where=\"name != 'b.md'\"", "");
    s.lays("promptc.kdl", "; file \"c.md\"", "");
    s.lays("promptc.kdl", "refine style { text \"Friendly.\" }\n", "");
    s.lays(
        "promptc.kdl",
        "layer house after=identity { file \"h.md\" }\n",
        "",
    );
    s.sets("tone", json!("brisk"));
    s
}

/// Layers of a base that are moved and removed.
pub(super) fn moved(r: &mut Random) -> Scene {
    let overlay = r#"promptc 1
extends "core/base.kdl"
root workspace default="ws"
move goodbye after=identity
remove layer=style
"#;
    let mut s = Scene::new("moved", overlay);
    s.file("core/base.kdl", BASE);
    for path in ["ws/a.md", "ws/b.md"] {
        document(&mut s, r, path);
    }
    s.lays("promptc.kdl", "move goodbye after=identity\n", "");
    s.lays(
        "promptc.kdl",
        "move goodbye after=identity\n",
        "move goodbye before=identity\n",
    );
    s.lays("promptc.kdl", "remove layer=style\n", "");
    s.lays(
        "promptc.kdl",
        "remove layer=style\n",
        "refine style { text \"Friendly.\" }\n",
    );
    s.says("core/base.kdl", "Ask at the end.", "Ask at once.");
    s.says("core/base.kdl", "file \"a.md\"; ", "");
    s.sets("tone", json!("brisk"));
    s
}
