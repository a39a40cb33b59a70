package limits

// InFairShare reports whether a peer that has so much of something bounded may have more
// of it. Nobody holds more than is left for the others, so that no peer uses up
// alone what is there for all.
//
// Invariant: 0 ≤ has ≤ used, so that the difference does not overflow.
func InFairShare[T int | int64](has, more, used, limit T) bool { return more <= limit-used-has }

// ForPeers is how much of something bounded peers may take up, all of them together. The
// rest is for the node itself: its own executions go on whatever peers do.
func ForPeers(limit int) int { return limit - limit/8 }
