//! Writes the TypeScript side. One text holds all types, so that no two test processes write the same file.

use crate::boot::BootFailure;
use crate::methods::typescript_methods;
use crate::{ApprovalReply, ClarifyReply, EventFrame, ServerRequest};
use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};
use ts_rs::{Config, TS, TypeVisitor};

/// Declarations by type name, dependencies included.
#[derive(Default)]
pub(crate) struct Declarations {
    seen: HashSet<TypeId>,
    by_name: BTreeMap<String, String>,
}

impl Declarations {
    /// Adds a type and everything it names.
    pub(crate) fn add<T: TS + 'static + ?Sized>(&mut self, cfg: &Config) {
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        if T::output_path().is_some() {
            self.by_name.insert(T::ident(cfg), T::decl(cfg));
        }
        T::visit_dependencies(&mut Visitor {
            declarations: self,
            cfg,
        });
    }
}

struct Visitor<'a> {
    declarations: &'a mut Declarations,
    cfg: &'a Config,
}

impl TypeVisitor for Visitor<'_> {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        self.declarations.add::<T>(self.cfg);
    }
}

/// The whole of `ui/src/bindings/protocol.ts`.
pub fn typescript() -> String {
    let cfg = Config::from_env();
    let mut types = Declarations::default();
    let methods = typescript_methods(&cfg, &mut types);
    types.add::<EventFrame>(&cfg);
    types.add::<ServerRequest>(&cfg);
    types.add::<ApprovalReply>(&cfg);
    types.add::<ClarifyReply>(&cfg);
    types.add::<BootFailure>(&cfg);
    let mut text = String::from("// Generated from talaria-protocol; do not edit. `make bindings` writes it.\n\n");
    for declaration in types.by_name.values() {
        text.push_str("export ");
        text.push_str(declaration);
        text.push_str("\n\n");
    }
    text.push_str(&methods);
    text.push_str(
        "\nexport interface Requests {\n  \"approval\": [ApprovalParams, ApprovalReply];\n  \"clarify\": [ClarifyParams, ClarifyReply];\n}\n",
    );
    text
}

#[cfg(test)]
mod tests;
