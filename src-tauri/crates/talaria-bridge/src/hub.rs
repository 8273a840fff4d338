//! The hub: streams, clients and open questions of one start of the core.

use crate::requests::OpenAsk;
use crate::stream::{Published, Stream};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use talaria_protocol::{ClientId, CoreEvent, Epoch, EventFrame, OpenRequest, RequestId, ResumePoint, SessionId};
use tokio::sync::{Notify, watch};

/// What a follower gets.
#[derive(Clone, Debug)]
pub enum Delivery {
    /// An event.
    Event(Arc<Published>),
    /// A question to answer.
    Request(Box<OpenRequest>),
}

#[derive(Debug, Default)]
struct Client {
    /// Reverse requests that it answers.
    capabilities: HashSet<String>,
    /// Newest event it got, by session.
    places: HashMap<SessionId, u64>,
    global_place: u64,
    delivered: HashSet<RequestId>,
    wake: Arc<Notify>,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    streams: HashMap<SessionId, Stream>,
    global: Stream,
    clients: HashMap<ClientId, Client>,
    pub(crate) asks: BTreeMap<u64, OpenAsk>,
    pub(crate) next_ask: u64,
    next_client: u64,
}

/// Streams, clients and open questions. Cheap to share; no lock is held while anything waits.
#[derive(Debug)]
pub struct Hub {
    epoch: Epoch,
    state: Mutex<State>,
    /// Number of connected clients, for those who wait for an answer.
    surfaces: watch::Sender<usize>,
}

impl Hub {
    /// A hub for one start of the core. `epoch` must differ from start to start.
    pub fn new(epoch: Epoch) -> Arc<Self> {
        Arc::new(Self {
            epoch,
            state: Mutex::default(),
            surfaces: watch::Sender::new(0),
        })
    }

    /// This start of the core.
    pub fn epoch(&self) -> &Epoch {
        &self.epoch
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // State is only changed by infallible steps, so a poisoned lock still holds a sound value.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn watch_surfaces(&self) -> watch::Receiver<usize> {
        self.surfaces.subscribe()
    }

    /// Publishes an event of a session, or a global one, and gives its `seq`.
    pub fn publish(&self, session_id: Option<&SessionId>, event: CoreEvent) -> u64 {
        let mut state = self.lock();
        let state = &mut *state;
        match session_id {
            Some(id) => {
                let stream = match state.streams.get_mut(id) {
                    Some(stream) => stream,
                    None => state.streams.entry(id.clone()).or_default(),
                };
                let seq = stream.publish(Some(id.clone()), event);
                for client in state.clients.values().filter(|client| client.places.contains_key(id)) {
                    client.wake.notify_one();
                }
                seq
            }
            None => {
                let seq = state.global.publish(None, event);
                for client in state.clients.values() {
                    client.wake.notify_one();
                }
                seq
            }
        }
    }

    /// Newest `seq` of a session, or of the global stream.
    pub fn last_seq(&self, session_id: Option<&SessionId>) -> u64 {
        let state = self.lock();
        match session_id {
            Some(id) => state.streams.get(id).map_or(0, Stream::last_seq),
            None => state.global.last_seq(),
        }
    }

    /// Events after `seq`, and whether none is missing.
    pub fn since(&self, session_id: Option<&SessionId>, seq: u64) -> (bool, Vec<EventFrame>) {
        let state = self.lock();
        let stream = match session_id {
            Some(id) => state.streams.get(id),
            None => Some(&state.global),
        };
        match stream {
            Some(stream) => {
                let (complete, events) = stream.since(seq);
                (complete, events.map(|published| published.frame.clone()).collect())
            }
            None => (seq == 0, Vec::new()),
        }
    }

    /// Connects a client. It follows the global stream from now on; [`Hub::follow`] adds sessions.
    pub fn connect(self: &Arc<Self>) -> Follower {
        let mut state = self.lock();
        state.next_client += 1;
        let id = ClientId::new(format!("c{}", state.next_client));
        let client = Client {
            global_place: state.global.last_seq(),
            ..Client::default()
        };
        let wake = Arc::clone(&client.wake);
        state.clients.insert(id.clone(), client);
        drop(state);
        Follower {
            hub: Arc::clone(self),
            id,
            wake,
        }
    }

    /// Notes which reverse requests a client answers, and moves its places to where it stopped listening. Gives whether
    /// everything it missed is still there; if not, it has to load its sessions again.
    pub fn hello(&self, client: &ClientId, capabilities: &[String], resume: Option<&ResumePoint>) -> bool {
        let mut state = self.lock();
        let mut replayed = false;
        let mut places = Vec::new();
        let mut global_place = None;
        if let Some(resume) = resume.filter(|resume| resume.epoch == self.epoch) {
            replayed = true;
            for (name, seq) in &resume.last_seq {
                if name == "global" {
                    replayed &= state.global.since(*seq).0;
                    global_place = Some(*seq);
                } else {
                    let id = SessionId::new(name.clone());
                    replayed &= state.streams.get(&id).map_or(*seq == 0, |stream| stream.since(*seq).0);
                    places.push((id, *seq));
                }
            }
        }
        if let Some(entry) = state.clients.get_mut(client) {
            entry.capabilities = capabilities.iter().cloned().collect();
            if replayed {
                entry.places.extend(places);
                entry.global_place = global_place.unwrap_or(entry.global_place);
            }
            entry.wake.notify_one();
        }
        self.tell_surfaces(state);
        replayed
    }

    /// Lets a client follow a session after `seq`. `told` are the questions that the reply with the snapshot lists: they
    /// count as delivered, all others come by themselves.
    pub fn follow(&self, client: &ClientId, session_id: &SessionId, seq: u64, told: &[OpenRequest]) {
        let mut state = self.lock();
        if let Some(entry) = state.clients.get_mut(client) {
            entry.places.insert(session_id.clone(), seq);
            entry.delivered.extend(told.iter().map(|open| open.id.clone()));
            entry.wake.notify_one();
        }
    }

    /// Whether some connected client answers such requests.
    pub fn has_surface(&self, method: &str) -> bool {
        self.lock()
            .clients
            .values()
            .any(|client| client.capabilities.contains(method))
    }

    /// Forgets a session that is gone.
    pub fn forget(&self, session_id: &SessionId) {
        let mut state = self.lock();
        state.streams.remove(session_id);
        for client in state.clients.values_mut() {
            client.places.remove(session_id);
        }
    }

    pub(crate) fn wake_followers(&self, session_id: &SessionId) {
        let state = self.lock();
        for client in state
            .clients
            .values()
            .filter(|client| client.places.contains_key(session_id))
        {
            client.wake.notify_one();
        }
    }

    /// Tells how many clients answer questions now, once the state is free again.
    fn tell_surfaces(&self, state: MutexGuard<'_, State>) {
        let answering = |client: &&Client| !client.capabilities.is_empty();
        let surfaces = state.clients.values().filter(answering).count();
        drop(state);
        self.surfaces.send_replace(surfaces);
    }

    fn disconnect(&self, id: &ClientId) {
        let mut state = self.lock();
        state.clients.remove(id);
        self.tell_surfaces(state);
    }

    fn take(&self, id: &ClientId, limit: usize) -> Vec<Delivery> {
        let mut state = self.lock();
        let State {
            streams,
            global,
            clients,
            asks,
            ..
        } = &mut *state;
        let Some(client) = clients.get_mut(id) else {
            return Vec::new();
        };
        let mut out = Vec::new();
        for published in global.since(client.global_place).1.take(limit) {
            client.global_place = published.frame.seq;
            out.push(Delivery::Event(Arc::clone(published)));
        }
        for (session_id, place) in &mut client.places {
            let Some(stream) = streams.get(session_id) else {
                continue;
            };
            for published in stream.since(*place).1.take(limit.saturating_sub(out.len())) {
                *place = published.frame.seq;
                out.push(Delivery::Event(Arc::clone(published)));
            }
        }
        // Questions come after the events that were published before them, so that the row they hang on exists.
        if out.len() < limit {
            for ask in asks.values() {
                let request = &ask.open.request;
                if client.capabilities.contains(request.method())
                    && client.places.contains_key(request.session_id())
                    && client.delivered.insert(ask.open.id.clone())
                {
                    out.push(Delivery::Request(Box::new(ask.open.clone())));
                }
            }
        }
        out
    }
}

/// Most deliveries handed over at once.
const BATCH: usize = 256;

/// A connected client's end. Dropping it disconnects.
#[derive(Debug)]
pub struct Follower {
    hub: Arc<Hub>,
    id: ClientId,
    wake: Arc<Notify>,
}

impl Follower {
    /// Name of the client.
    pub fn client_id(&self) -> &ClientId {
        &self.id
    }

    /// The next deliveries, at least one. Cancel safe.
    pub async fn next(&self) -> Vec<Delivery> {
        loop {
            let batch = self.hub.take(&self.id, BATCH);
            if !batch.is_empty() {
                if batch.len() >= BATCH {
                    self.wake.notify_one();
                }
                return batch;
            }
            self.wake.notified().await;
        }
    }

    /// What can be delivered now without waiting.
    pub fn now(&self) -> Vec<Delivery> {
        self.hub.take(&self.id, usize::MAX)
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.hub.disconnect(&self.id);
    }
}

#[cfg(test)]
mod tests;
