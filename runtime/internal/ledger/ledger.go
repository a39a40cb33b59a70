// Package ledger counts how much of each limited resource a node uses, in total and for each of its peers, and
// decides whether more may be used.
package ledger

import "github.com/bbgen/bbgen/runtime/limits"

// Resource is something of which a node uses a limited amount.
type Resource uint8

// The resources.
const (
	Frames    Resource = iota // executions and contributions to gathers that have not ended
	Commands                  // commands that wait or run
	Timers                    // timers of frames that have not ended
	Held                      // bytes of received payloads in memory
	Spooled                   // bytes of received payloads in files, and of those being fetched
	Waiting                   // bytes of envelopes that wait for bulk
	Envelopes                 // envelopes that are not acknowledged
	Payloads                  // bytes of payloads of these envelopes; in the total, a payload for many peers counts once
	Pinned                    // bytes of larger values that are kept because a part of them is such a payload
	Pooled                    // bytes of payloads in frames that wait to be used again
	numResources
)

// MaxPooled is the limit of [Pooled].
const MaxPooled = 256 << 20

type amounts [numResources]int64

// Share is how much of each resource is used for one peer. The zero value is the share of a peer that uses
// nothing.
type Share struct {
	used amounts
	own  bool
}

// Own returns the share of the node itself. It is not bounded by the shares of peers, only by the limit.
func Own() Share { return Share{own: true} }

// Used returns how much of a resource is used for the peer. A nil share uses nothing.
func (s *Share) Used(r Resource) int64 {
	if s == nil {
		return 0
	}
	return s.used[r]
}

// Add counts amount more of a resource in the share, but not in the total. A nil share is one that no peer has:
// nothing is counted.
func (s *Share) Add(r Resource, amount int64) {
	if s != nil {
		s.used[r] += amount
	}
}

// Ledger holds the total use of each resource, and its limits. The zero value admits nothing: see
// [Ledger.SetLimits].
type Ledger struct {
	used     amounts
	limit    amounts
	forPeers amounts // the part of the limit that all peers together may use
}

// SetLimits sets the limits.
func (l *Ledger) SetLimits(to *limits.Limits) {
	l.limit = amounts{
		Frames: int64(to.Executions), Commands: int64(to.Commands), Timers: int64(to.Timers),
		Held: int64(to.Held), Spooled: to.Spooled, Waiting: int64(to.IngressBytes),
		Envelopes: int64(to.Outbound), Payloads: int64(to.OutboundBytes), Pinned: int64(to.OutboundBytes), Pooled: MaxPooled,
	}
	l.forPeers = l.limit
	l.forPeers[Frames] = int64(limits.ForPeers(to.Executions))
	l.forPeers[Commands] = int64(limits.ForPeers(to.Commands))
	l.forPeers[Timers] = int64(limits.ForPeers(to.Timers))
}

// Admits reports whether amount more of a resource may be used: for a peer as long as it leaves as much for the
// others, see [limits.InFairShare]; for the node itself, whose share may be nil, up to the limit.
func (l *Ledger) Admits(s *Share, r Resource, amount int64) bool {
	if s == nil || s.own {
		return limits.InFairShare(0, amount, l.used[r], l.limit[r])
	}
	return limits.InFairShare(s.used[r], amount, l.used[r], l.forPeers[r])
}

// Add counts amount more of a resource, in the total and in a share, which may be nil.
func (l *Ledger) Add(s *Share, r Resource, amount int64) {
	l.used[r] += amount
	s.Add(r, amount)
}

// Used returns how much of a resource is used in total.
func (l *Ledger) Used(r Resource) int64 { return l.used[r] }
