//! JSON-RPC frames, handshake, sequence numbers, replay, reverse requests.
