package limits

// InFairShare reports whether a peer that uses has of a limited resource may use more of it. A peer may never
// use more than it leaves for the others, so that no peer exhausts the resource alone. Only what it has is
// compared, so that a single value may be large: a limit of bytes must exceed the largest value of each peer.
//
// Invariant: 0 ≤ has ≤ used, so that the difference does not overflow.
func InFairShare[T int | int64](has, more, used, limit T) bool { return more <= limit-used-has }

// ForPeers returns how much of a limit all peers together may use. The rest is for the node itself, so that
// peers cannot stop its own executions.
func ForPeers(limit int) int { return limit - limit/8 }
