use ulid::Ulid;

/// A new id: the prefix and a ulid, which sorts by time.
pub(crate) fn new_id(prefix: &str) -> String {
    format!("{prefix}{}", Ulid::generate())
}
