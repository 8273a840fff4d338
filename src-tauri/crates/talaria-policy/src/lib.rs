//! Pure decisions: approvals, dangerous commands, path rules, child environments.
