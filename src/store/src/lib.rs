//! Durable MVCC key-value log on redb: revisions, watches, compaction, group commit.
