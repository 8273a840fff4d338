//! A command line as simple commands. Parsed with tree-sitter; what it does not understand is marked and asks.

use crate::words::{self, Word};
use std::ops::ControlFlow;
use std::time::Instant;
use tree_sitter::{Node, ParseOptions, ParseState, Parser};

/// Longest command that is parsed, in characters.
const MAX_CHARS: usize = 128_000;
/// Separators from which on a command is not parsed.
const MAX_SEPARATORS: usize = 25_000;
/// Deepest nesting that is followed.
const MAX_DEPTH: usize = 120;

/// A file that a command's output goes to or comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Redirect {
    /// Operator, such as `>`, `>>`, `<`, `>|`, `&>`.
    pub operator: String,
    /// Where to.
    pub target: Word,
}

/// One simple command with what surrounds it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Simple {
    /// Operator before it: `&&`, `||`, `;`, `|`, `&`, or nothing.
    pub operator: String,
    /// Source text.
    pub text: String,
    /// Words, assignments before the command left out.
    pub words: Vec<Word>,
    /// Assignments before the command, as written; without a fixed value when they depend on more than the text.
    pub assignments: Vec<Word>,
    /// Shell text that runs inside a word or a here-document and that the grammar does not take apart.
    pub hidden: Vec<String>,
    /// Files.
    pub redirects: Vec<Redirect>,
    /// Text that is fed to standard input, when it is written in the command itself; `None` when dynamic.
    pub here: Option<Option<String>>,
    /// Simple command whose output it reads.
    pub reads_from: Option<usize>,
    /// Whether it is inside a substitution of another command.
    pub inner: bool,
    /// Whether it has a substitution inside.
    pub substitutes: bool,
}

/// A command line, taken apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    /// Simple commands in source order, those inside substitutions behind the one that holds them.
    pub simples: Vec<Simple>,
    /// Why it could not be understood whole.
    pub trouble: Option<&'static str>,
    /// Whether something runs behind the command.
    pub background: bool,
    /// Whether a function is defined, which can give any word another meaning.
    pub defines_function: bool,
    /// Whether a loop sets a variable that may change what programs do (`PATH`, `LD_PRELOAD`).
    pub sets_by_loop: bool,
}

/// Takes a command line apart.
pub(crate) fn parse(command: &str, deadline: Instant) -> Script {
    let separators = command
        .bytes()
        .filter(|byte| matches!(byte, b';' | b'&' | b'|' | b'\n'))
        .count();
    if command.chars().count() > MAX_CHARS || separators >= MAX_SEPARATORS {
        return Script {
            trouble: Some("The command is too long to be checked"),
            ..Script::default()
        };
    }
    let mut parser = Parser::new();
    let language = tree_sitter_bash::LANGUAGE.into();
    let tree = match parser.set_language(&language) {
        Ok(()) => {
            // Recovering from errors can take minutes on hostile text.
            let mut in_time = |_: &ParseState| match Instant::now() < deadline {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            };
            let options = ParseOptions::new().progress_callback(&mut in_time);
            let mut read = |at: usize, _| command.as_bytes().get(at..).unwrap_or_default();
            parser.parse_with_options(&mut read, None, Some(options))
        }
        Err(_) => None,
    };
    let Some(tree) = tree else {
        return Script {
            trouble: Some("The command could not be checked in time"),
            ..Script::default()
        };
    };
    let mut walk = Walk {
        source: command,
        script: Script::default(),
    };
    if tree.root_node().has_error() {
        walk.script.trouble = Some("The command could not be understood whole");
    }
    walk.statements(tree.root_node(), "", 0, false);
    walk.script
}

struct Walk<'s> {
    source: &'s str,
    script: Script,
}

impl Walk<'_> {
    fn text(&self, node: Node<'_>) -> &str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    fn too_deep(&mut self, depth: usize) -> bool {
        if depth > MAX_DEPTH {
            self.script.trouble = Some("The command is nested too deeply to be checked");
        }
        depth > MAX_DEPTH
    }

    /// Walks the children of a list of statements; the operator between two of them belongs to the second.
    fn statements(&mut self, node: Node<'_>, first_operator: &str, depth: usize, inner: bool) {
        if self.too_deep(depth) {
            return;
        }
        let mut operator = first_operator.to_owned();
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        for child in children {
            if child.is_named() {
                let before = self.script.simples.len();
                self.node(child, &operator, depth + 1, inner);
                if self.script.simples.len() > before {
                    operator = ";".to_owned();
                }
            } else {
                match self.text(child) {
                    "&" => {
                        self.script.background = true;
                        operator = "&".to_owned();
                    }
                    text @ ("&&" | "||" | "|" | "|&" | ";") => operator = text.to_owned(),
                    _ => {}
                }
            }
        }
    }

    fn node(&mut self, node: Node<'_>, operator: &str, depth: usize, inner: bool) {
        if self.too_deep(depth) {
            return;
        }
        match node.kind() {
            "command" => self.simple(node, operator, depth, inner),
            "redirected_statement" => self.redirected(node, operator, depth, inner),
            "pipeline" => self.pipeline(node, operator, depth, inner),
            "declaration_command" | "unset_command" | "test_command" => {
                self.builtin(node, operator, depth, inner);
            }
            "variable_assignment" | "variable_assignments" => self.assignment(node, operator, depth, inner),
            "function_definition" => {
                self.script.defines_function = true;
                self.statements(node, operator, depth, inner);
            }
            "for_statement" | "c_style_for_statement" => {
                let variable = node.child_by_field_name("variable");
                self.script.sets_by_loop |= variable.is_none_or(|variable| !is_plain_name(self.text(variable)));
                self.statements(node, operator, depth, inner);
            }
            // `$(> file)`: a redirection without a command.
            "file_redirect" => {
                let redirect = self.file_redirect(node, depth);
                self.script.simples.push(Simple {
                    operator: operator.to_owned(),
                    text: self.text(node).to_owned(),
                    redirects: vec![redirect],
                    inner,
                    ..Simple::default()
                });
            }
            "comment" | "heredoc_body" | "heredoc_start" => {}
            _ => self.statements(node, operator, depth, inner),
        }
    }

    fn pipeline(&mut self, node: Node<'_>, operator: &str, depth: usize, inner: bool) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        let mut source = None;
        for (number, child) in children.into_iter().enumerate() {
            let first = self.script.simples.len();
            self.node(child, if number == 0 { operator } else { "|" }, depth + 1, inner);
            if let (Some(source), true) = (source, first < self.script.simples.len()) {
                self.script.simples[first].reads_from = Some(source);
            }
            let last = self
                .script
                .simples
                .iter()
                .enumerate()
                .skip(first)
                .rfind(|(_, simple)| simple.inner == inner);
            source = last.map(|(at, _)| at).or(source);
        }
    }

    /// A statement with redirections behind it.
    fn redirected(&mut self, node: Node<'_>, operator: &str, depth: usize, inner: bool) {
        let first = self.script.simples.len();
        let body = node.child_by_field_name("body");
        if let Some(body) = body {
            self.node(body, operator, depth + 1, inner);
        }
        if self.script.simples.len() == first {
            // `> file` alone empties the file.
            self.script.simples.push(Simple {
                operator: operator.to_owned(),
                text: self.text(node).to_owned(),
                inner,
                ..Simple::default()
            });
        } else if self.script.simples.len() == first + 1 {
            let text = self.text(node).to_owned();
            self.script.simples[first].text = text;
        }
        let mut redirects = Vec::new();
        let mut here = None;
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        for child in children {
            match child.kind() {
                "file_redirect" => redirects.push(self.file_redirect(child, depth)),
                "heredoc_redirect" => here = Some(self.heredoc(child, depth, &mut redirects)),
                "herestring_redirect" => {
                    let word = child.named_child(0).map(|word| words::read(word, self.source));
                    here = Some(word.and_then(|word| word.value));
                    self.substitutions(child, depth, first);
                }
                _ => {}
            }
        }
        // A redirection behind a group holds for each command in it.
        for simple in &mut self.script.simples[first..] {
            if simple.inner == inner {
                simple.redirects.extend(redirects.iter().cloned());
                if here.is_some() {
                    simple.here.clone_from(&here);
                }
            }
        }
    }

    fn file_redirect(&mut self, node: Node<'_>, depth: usize) -> Redirect {
        let mut cursor = node.walk();
        let operator = node
            .children(&mut cursor)
            .filter(|child| !child.is_named())
            .map(|child| self.text(child).to_owned())
            .next()
            .unwrap_or_else(|| ">".to_owned());
        let target = match node.child_by_field_name("destination") {
            Some(word) => words::read(word, self.source),
            None => Word::default(),
        };
        let owner = self.script.simples.len().saturating_sub(1);
        self.substitutions(node, depth, owner);
        Redirect { operator, target }
    }

    /// The text of a here-document, and redirections and commands that stand on its first line.
    fn heredoc(&mut self, node: Node<'_>, depth: usize, redirects: &mut Vec<Redirect>) -> Option<String> {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        let mut body = None;
        let mut literal = false;
        for child in children {
            match child.kind() {
                "heredoc_start" => literal = self.text(child).contains(['\'', '"', '\\']),
                "heredoc_body" => {
                    let owner = self.script.simples.len().saturating_sub(1);
                    let mut fixed = literal;
                    if !literal {
                        // The grammar finds no backticks in here-documents.
                        let hidden = hidden_commands(self.text(child), Within::HereDocument);
                        let mut cursor = child.walk();
                        fixed = hidden.is_empty()
                            && child
                                .named_children(&mut cursor)
                                .all(|part| part.kind() == "heredoc_content");
                        self.hide(owner, hidden);
                        self.substitutions(child, depth, owner);
                    }
                    body = fixed.then(|| self.text(child).to_owned());
                }
                "heredoc_end" => {}
                "file_redirect" => {
                    let redirect = self.file_redirect(child, depth);
                    redirects.push(redirect);
                }
                "pipeline" => {
                    let source = self.script.simples.len().checked_sub(1);
                    let first = self.script.simples.len();
                    self.node(child, "|", depth + 1, false);
                    if let (Some(simple), Some(source)) = (self.script.simples.get_mut(first), source) {
                        simple.reads_from = Some(source);
                        simple.operator = "|".to_owned();
                    }
                }
                _ => self.node(child, "&&", depth + 1, false),
            }
        }
        body
    }

    fn simple(&mut self, node: Node<'_>, operator: &str, depth: usize, inner: bool) {
        let mut simple = Simple {
            operator: operator.to_owned(),
            text: self.text(node).to_owned(),
            inner,
            ..Simple::default()
        };
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        let mut here = Vec::new();
        for child in &children {
            match child.kind() {
                "variable_assignment" => simple.assignments.push(as_written(self.text(*child))),
                "file_redirect" | "herestring_redirect" => here.push(*child),
                "command_name" => {
                    let word = child.named_child(0).unwrap_or(*child);
                    simple.words.push(words::read(word, self.source));
                }
                _ => simple.words.push(words::read(*child, self.source)),
            }
        }
        let at = self.script.simples.len();
        self.script.simples.push(simple);
        for child in here {
            if child.kind() == "file_redirect" {
                let redirect = self.file_redirect(child, depth);
                self.script.simples[at].redirects.push(redirect);
            } else {
                let word = child.named_child(0).map(|word| words::read(word, self.source));
                self.script.simples[at].here = Some(word.and_then(|word| word.value));
            }
        }
        self.substitutions(node, depth, at);
    }

    /// `export`, `unset`, `[[ … ]]`: a simple command whose words the grammar takes apart further than we need.
    fn builtin(&mut self, node: Node<'_>, operator: &str, depth: usize, inner: bool) {
        let text = self.text(node).to_owned();
        let name = match node.kind() {
            "test_command" => "test".to_owned(),
            _ => text.split_whitespace().next().unwrap_or_default().to_owned(),
        };
        let rest = as_written(text.strip_prefix(name.as_str()).unwrap_or(&text).trim());
        let at = self.script.simples.len();
        self.script.simples.push(Simple {
            operator: operator.to_owned(),
            text,
            words: vec![Word::plain(&name), rest],
            inner,
            ..Simple::default()
        });
        self.substitutions(node, depth, at);
    }

    fn assignment(&mut self, node: Node<'_>, operator: &str, depth: usize, inner: bool) {
        let at = self.script.simples.len();
        self.script.simples.push(Simple {
            operator: operator.to_owned(),
            text: self.text(node).to_owned(),
            words: vec![Word::plain(":")],
            assignments: vec![as_written(self.text(node))],
            inner,
            ..Simple::default()
        });
        self.substitutions(node, depth, at);
    }

    fn hide(&mut self, owner: usize, hidden: Vec<String>) {
        if let Some(simple) = self.script.simples.get_mut(owner)
            && !hidden.is_empty()
        {
            simple.substitutes = true;
            simple.hidden.extend(hidden);
        }
    }

    /// Commands inside `$(…)`, backticks and `<(…)` below a node.
    fn substitutions(&mut self, node: Node<'_>, depth: usize, owner: usize) {
        let mut stack = vec![(node, depth)];
        while let Some((node, depth)) = stack.pop() {
            if self.too_deep(depth) {
                return;
            }
            let mut cursor = node.walk();
            let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
            if children.is_empty() && may_hide(node.kind()) {
                let hidden = hidden_commands(self.text(node), Within::Word);
                self.hide(owner, hidden);
            }
            for child in children.into_iter().rev() {
                match child.kind() {
                    "command_substitution" | "process_substitution" => {
                        if let Some(simple) = self.script.simples.get_mut(owner) {
                            simple.substitutes = true;
                        }
                        let text = self.text(child);
                        if text.starts_with('`') && text.contains("\\`") {
                            // Backticks in backticks are text to the grammar.
                            let hidden = hidden_commands(text, Within::HereDocument);
                            self.hide(owner, hidden);
                        }
                        self.statements(child, "", depth + 1, true);
                    }
                    // Taken by whoever walks statements.
                    "command" | "redirected_statement" | "pipeline" | "list" => {}
                    _ => stack.push((child, depth + 1)),
                }
            }
        }
    }
}

/// Text of an assignment or a declaration; it stands for itself unless something is expanded in it.
fn as_written(text: &str) -> Word {
    Word {
        raw: text.to_owned(),
        value: (!text.contains(['$', '`'])).then(|| text.to_owned()),
        ..Word::default()
    }
}

/// Names in small letters mean nothing to programs, those of proxies excepted.
fn is_plain_name(name: &str) -> bool {
    let small = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.chars().all(small) && !name.contains("proxy")
}

/// Leaves whose text is expanded by the shell without being taken apart by the grammar.
fn may_hide(kind: &str) -> bool {
    !matches!(
        kind,
        "raw_string"
            | "ansi_c_string"
            | "comment"
            | "heredoc_start"
            | "heredoc_end"
            | "heredoc_body"
            | "heredoc_content"
    )
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Word,
    HereDocument,
}

/// Commands in backticks (and, in words, in `$(…)`) that stand in a text.
fn hidden_commands(text: &str, within: Within) -> Vec<String> {
    if !text.contains('`') && !text.contains("$(") {
        return Vec::new();
    }
    let mut out = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            '`' => {
                let mut command = String::new();
                while let Some((_, c)) = chars.next() {
                    match c {
                        '`' => break,
                        '\\' => command.extend(chars.next().map(|(_, escaped)| escaped)),
                        c => command.push(c),
                    }
                }
                out.push(command);
            }
            // Where it ends does not matter: what follows is judged as well.
            '$' if within == Within::Word && text[at..].starts_with("$(") => {
                out.push(text[at + 2..].replace(')', "\n"));
                break;
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests;
