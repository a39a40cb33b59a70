// Package outbox keeps what a node sends until it is acknowledged: a [Box] for each peer holds the envelopes for
// it, and a [Store] the payloads that envelopes share and the memory that is reused. It sends nothing itself, and
// does not know what the values mean.
package outbox
