package limits

// InFairShare reports whether a peer that uses has of a limited resource may use more of it. A peer may never
// use more than it leaves for the others, so that no peer exhausts the resource alone. Only what it has is
// compared, so that a single value may be large: a limit of bytes must exceed the largest value of each peer.
//
// So one value may take all that is left, and others find no room until it is released. It is meant so: if a value had to
// leave as much as it takes, the largest possible one would be half the limit, and all limits of bytes would have to be
// twice what they bound. A peer cannot keep the others out in that way: it gets no more before the value is released, and
// what does not fit comes again where it can (messages that are not read, payloads that are fetched). A host that expects
// large values of many peers at once needs limits for all of them.
//
// Invariant: 0 ≤ has ≤ used, so that the difference does not overflow.
func InFairShare[T int | int64](has, more, used, limit T) bool { return more <= limit-used-has }

// ForPeers returns how much of a limit all peers together may use. The rest is for the node itself, so that
// peers cannot stop its own executions.
func ForPeers(limit int) int { return limit - limit/8 }
