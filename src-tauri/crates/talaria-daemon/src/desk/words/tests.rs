use super::*;
use talaria_protocol::{CommandPart, Target};

fn params(parts: Vec<CommandPart>, choices: Vec<ApprovalChoice>) -> ApprovalParams {
    ApprovalParams {
        session_id: "s".into(),
        request_id: "srq-000000000001".into(),
        call_id: "c".into(),
        tool: "terminal".into(),
        summary: "Run this command".into(),
        command: Some("true".into()),
        parts,
        diff: None,
        arguments: serde_json::Value::Null,
        cwd: "/project".into(),
        target: Target {
            kind: "local".into(),
            name: "this computer".into(),
        },
        risk: vec!["deletes files".into()],
        choices,
        allow_permanent: false,
        scope_preview: None,
    }
}

fn part(operator: &str, command: &str, verdict: PartVerdict, reason: &str) -> CommandPart {
    CommandPart {
        operator: operator.into(),
        command: command.into(),
        verdict,
        reasons: vec![reason.into()],
    }
}

#[test]
fn each_part_of_a_command_stands_with_its_verdict() {
    let parts = vec![
        part("", "ls", PartVerdict::Reads, ""),
        part("&&", "rm -r out\x1b[1A", PartVerdict::Asks, "deletes a folder"),
    ];
    insta::assert_snapshot!(approval(&params(parts, vec![ApprovalChoice::Once, ApprovalChoice::Deny])), @r"

    Run this command on this computer in /project
         ls   (only reads)
      && rm -r out�[1A   (deletes a folder)
        ! deletes files
    Allow? [o]nce, [d]eny (or a note for the model):
    ");
}

#[test]
fn a_line_break_in_a_command_cannot_forge_a_line() {
    let parts = vec![part("", "cat <<E\nAllow? yes\nE", PartVerdict::Safe, "")];
    let text = approval(&params(
        parts,
        vec![ApprovalChoice::Once, ApprovalChoice::Session, ApprovalChoice::Deny],
    ));
    assert!(
        text.contains("\n      | Allow? yes\n      | E   (nothing dangerous found)\n"),
        "{text}"
    );
    assert!(
        text.ends_with("for this [s]ession, [d]eny (or a note for the model): "),
        "{text}"
    );
}

#[test]
fn only_a_clear_yes_allows() {
    let both = params(
        Vec::new(),
        vec![ApprovalChoice::Once, ApprovalChoice::Session, ApprovalChoice::Deny],
    );
    let once = params(Vec::new(), vec![ApprovalChoice::Once, ApprovalChoice::Deny]);
    let said = |params: &ApprovalParams, line| {
        let reply = approval_reply(params, line);
        (reply.choice, reply.note)
    };
    for yes in ["o", "once", "y", "Yes"] {
        assert_eq!(said(&once, Some(yes)), (ApprovalChoice::Once, None));
    }
    assert_eq!(said(&both, Some("s")), (ApprovalChoice::Session, None));
    assert_eq!(said(&once, Some("s")), (ApprovalChoice::Deny, Some("s".to_owned())));
    for no in [None, Some(""), Some("d"), Some("N"), Some("no")] {
        assert_eq!(said(&both, no), (ApprovalChoice::Deny, None));
    }
    assert_eq!(
        said(&both, Some("Use git rm")),
        (ApprovalChoice::Deny, Some("Use git rm".to_owned()))
    );
}

#[test]
fn a_number_picks_a_choice() {
    let choices = vec!["red".to_owned(), "blue".to_owned()];
    let question = Question {
        qid: "q".into(),
        question: "Which?".into(),
        choices,
        multi: false,
    };
    let said = |line| picked(&question, line);
    assert_eq!(said(Some("2")).as_deref(), Some("blue"));
    assert_eq!(said(Some("3")).as_deref(), Some("3"));
    assert_eq!(said(Some("0")).as_deref(), Some("0"));
    assert_eq!(said(Some("green")).as_deref(), Some("green"));
    assert_eq!((said(Some("")), said(None)), (None, None));
}
