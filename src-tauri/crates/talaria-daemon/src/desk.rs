//! Questions of the runtime, asked on the terminal one after the other while events go on.

mod words;

use crate::output::err;
use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, Write};
use talaria_protocol::{ClarifyReply, OpenRequest, RequestId, ServerRequest};
use talaria_runtime::LocalClient;
use tokio::sync::mpsc;

/// Questions that wait for the person at the terminal.
#[derive(Default)]
pub struct Desk {
    keyboard: Keyboard,
    open: VecDeque<OpenRequest>,
    /// Whether the first question stands on the screen.
    shown: bool,
    /// Answers so far, when the first one has several questions.
    answers: BTreeMap<String, Option<String>>,
}

impl Desk {
    /// Puts a question in line.
    pub fn add(&mut self, open: OpenRequest) {
        self.open.push_back(open);
    }

    /// Takes a question back that was answered elsewhere or is no longer needed.
    pub fn withdraw(&mut self, id: &RequestId) {
        let Some(place) = self.open.iter().position(|open| open.id == *id) else {
            return;
        };
        self.open.remove(place);
        if place == 0 {
            self.answers.clear();
            if std::mem::take(&mut self.shown) {
                err("\n· No answer is needed any more.");
            }
        }
    }

    /// Asks what is next in line and hands the answer over; waits for ever when nothing is. Cancel safe: a question is
    /// shown once, and a line that was typed is not lost.
    pub async fn serve_one(&mut self, client: &LocalClient) {
        loop {
            let Some(first) = self.open.front() else {
                return std::future::pending().await;
            };
            if !self.shown {
                self.keyboard.forget_what_was_typed();
                prompt(&words::question(&first.request, self.answers.len()));
                self.shown = true;
            }
            let line = self.keyboard.line().await;
            self.shown = false;
            let Some(first) = self.open.pop_front() else { continue };
            let line = line.as_deref().map(str::trim);
            match &first.request {
                ServerRequest::Approval(params) => {
                    client.answer_approval(&first.id, &words::approval_reply(params, line));
                }
                ServerRequest::Clarify(params) => {
                    if let Some(question) = params.questions.get(self.answers.len()) {
                        self.answers.insert(question.qid.clone(), words::picked(question, line));
                    }
                    if self.answers.len() < params.questions.len() {
                        self.open.push_front(first);
                        continue;
                    }
                    let answers = Some(std::mem::take(&mut self.answers));
                    client.answer_questions(&first.id, &ClarifyReply { answers });
                }
            }
            return;
        }
    }
}

/// Lines that the person types. A thread of its own reads them, so that a question can be taken back.
#[derive(Default)]
struct Keyboard {
    lines: Option<mpsc::Receiver<String>>,
}

/// Lines that wait; what is typed beyond waits in the terminal.
const LINES: usize = 16;

impl Keyboard {
    /// What was typed before a question is no answer to it.
    fn forget_what_was_typed(&mut self) {
        #[cfg(unix)]
        // SAFETY: the call takes two integers; a descriptor that is no terminal is refused.
        unsafe {
            libc::tcflush(libc::STDIN_FILENO, libc::TCIFLUSH);
        }
        if let Some(lines) = &mut self.lines {
            while lines.try_recv().is_ok() {}
        }
    }

    /// The next line; `None` at the end of input, after which it can be asked again.
    async fn line(&mut self) -> Option<String> {
        let lines = match &mut self.lines {
            Some(lines) => lines,
            None => {
                let (sender, lines) = mpsc::channel(LINES);
                let reader = std::thread::Builder::new().name("keyboard".to_owned());
                reader.spawn(move || read_lines(&sender)).ok()?;
                self.lines.insert(lines)
            }
        };
        let line = lines.recv().await;
        if line.is_none() {
            self.lines = None;
        }
        line
    }
}

fn read_lines(sender: &mpsc::Sender<String>) {
    let mut input = std::io::stdin().lock();
    loop {
        let mut line = Vec::new();
        match input.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                if sender
                    .blocking_send(String::from_utf8_lossy(&line).into_owned())
                    .is_err()
                {
                    return;
                }
            }
        }
    }
}

fn prompt(text: &str) {
    let mut output = std::io::stderr().lock();
    // A terminal that takes nothing gives no answer either.
    let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
}
