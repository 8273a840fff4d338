//! Puts the runtime together; one handler per method.
