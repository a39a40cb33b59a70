package collective

import (
	"math"
	"math/bits"
	"slices"
	"time"
)

// Links is what is known about the links between ranks, and about their processors. What is 0 is not known.
type Links struct {
	Latency   time.Duration // of a message, on the slowest link
	Bandwidth int64         // bytes a second that each rank sends at least
	Sharing   int           // the number of ranks that share a processor, at most
}

// The properties of links and processors that the choice of an algorithm assumes as long as nothing was measured:
// two processes of one machine, as internal/bench/collective measures them. Addition is the bytes a second that a rank
// adds. Overhead is the time of a processor that a message takes at both ends, whatever its size (Culler et al. 1993, the o of
// LogP), and Waking what it takes to wake a rank that waits.
const (
	Latency   = 50 * time.Microsecond
	Bandwidth = 1e9
	Addition  = 3e9
	Overhead  = 40 * time.Microsecond
	Waking    = 60 * time.Microsecond
)

// In [Pairwise] all ranks send to each rank at the same time. More than crowd bytes may exceed the buffers of switches
// (Phanishayee et al. 2008, on incast), so their time is counted crowding times. That is the most that a link without
// buffers loses: streams that lose packets together halve their windows, which then grow until the link is full, so that
// three quarters of it are used on average (Appenzeller et al. 2004). In other algorithms one rank sends to each, no faster
// than it receives. A loopback has no switch: there it takes as long as the ring.
const (
	crowd    = 1 << 20
	crowding = 4.0 / 3
)

// worst returns what holds for the links of both.
func (l Links) worst(o Links) Links {
	l.Latency = max(l.Latency, o.Latency)
	if l.Bandwidth == 0 || o.Bandwidth > 0 && o.Bandwidth < l.Bandwidth {
		l.Bandwidth = o.Bandwidth
	}
	l.Sharing = max(l.Sharing, o.Sharing)
	return l
}

// orAssumed replaces what is not known.
func (l Links) orAssumed() Links {
	if l.Latency <= 0 {
		l.Latency = Latency
	}
	if l.Bandwidth <= 0 {
		l.Bandwidth = Bandwidth
	}
	return l
}

// Choose returns the algorithm for a call of n bytes on p ranks, of values that have one row.
func (s *Spec) Choose(n, p int, l Links) Algorithm { return s.choose(s.sentBytes(n), p, l) }

// choose returns the algorithm for a call that sends n bytes of each value: the one of the spec, or the one with the
// shortest time of those that add in the order of the call; of equal ones the first.
func (s *Spec) choose(n, p int, l Links) Algorithm {
	if s.Algorithm != Auto {
		return s.Algorithm
	}
	o := s.order(n, p)
	could := slices.DeleteFunc(s.algorithms(), func(a Algorithm) bool { return s.Kind.reduces() && !o.isComputedBy(a) })
	best, least := could[0], s.time(could[0], n, p, l)
	for _, a := range could[1:] {
		if t := s.time(a, n, p, l); t < least {
			best, least = a, t
		}
	}
	return best
}

// time returns the estimated seconds of a call: of its longest chain of messages, or of the work of all ranks that share a
// processor if that takes longer. They overlap, but for an eighth of the shorter one.
func (s *Spec) time(a Algorithm, n, p int, l Links) float64 {
	l = l.orAssumed()
	rounds, bytes := s.Cost(a, n, p)
	rate := float64(l.Bandwidth)
	waited := s.waited(a, n, p, rounds, l)
	if a == Pairwise && n > crowd {
		bytes *= crowding
	}
	t := waited + bytes/rate + s.added(a, n, p)/Addition
	if l.Sharing > 0 {
		work := float64(l.Sharing) * s.work(a, n, p)
		t = max(t, work) + min(t, work)/8
	}
	return t
}

// waited returns the seconds of a call in which a rank has nothing to send. Rounds of different chunks overlap, so each
// round adds the time until a chunk has come. In a ring, a rank meanwhile sends the other chunks of a segment: until the
// first one of the next has been sent and read, which takes the time of two.
func (s *Spec) waited(a Algorithm, n, p, rounds int, l Links) float64 {
	if rounds == 0 {
		return 0
	}
	segment, rate := n/s.segments(a, p), float64(l.Bandwidth)
	chunk := min(segment, DefaultChunk)
	first := l.Latency.Seconds() + float64(chunk)/rate
	next := first
	if a == Ring {
		next = max(l.Latency.Seconds()+float64(2*chunk-segment)/rate, 0)
	}
	return first + float64(rounds-1)*next
}

// added returns how many bytes the busiest rank adds.
func (s *Spec) added(a Algorithm, n, p int) float64 {
	size, part := float64(n), float64(n)*float64(p-1)/float64(p)
	switch {
	case !s.Kind.reduces():
		return 0
	case s.Kind == ReduceScatter || a == Ring || a == Pairwise:
		return part
	case a == Halving && p&(p-1) != 0: // some ranks first add the value of another one
		return size + part
	case a == Halving:
		return part
	case a == Tree:
		return size * float64(bits.Len(uint(p-1)))
	}
	return size * float64(p-1)
}

// work returns the seconds of a processor that an all-reduce takes on a rank, on average. It is 0 for the other kinds, as they have
// the same work by any algorithm.
func (s *Spec) work(a Algorithm, n, p int) float64 {
	if s.Kind != AllReduce || p < 2 {
		return 0
	}
	size, ranks, q := float64(n), float64(p), float64(powerBelow(p))
	messages, waits := 2*(ranks-1), 2.0 // of which a rank waits for some, one after the other
	sent, added := 2*size*(ranks-1)/ranks, size*(ranks-1)/ranks
	switch a {
	case Direct:
		messages, waits, sent, added = ranks-1, 1, size*(ranks-1), size*(ranks-1)
	case Ring:
		waits = messages
	case Tree:
		messages /= ranks
		waits = messages
	case Halving:
		messages = (2*q*math.Log2(q) + 2*(ranks-q)) / ranks
		waits = messages
	}
	return messages*Overhead.Seconds() + waits*Waking.Seconds() + sent/Bandwidth + added/Addition
}

// Cost returns the number of rounds of a call on p ranks that sends n bytes of each value, and how many bytes
// the busiest rank sends, over all rounds.
func (s *Spec) Cost(a Algorithm, n, p int) (rounds int, bytes float64) {
	if p < 2 || s.Kind == Barrier || s.Kind == Enter {
		return 0, 0
	}
	size, others := float64(n), float64(p-1)
	log := bits.Len(uint(p - 1)) // ⌈log₂ p⌉
	part := size * others / float64(p)
	switch s.Kind {
	case ReduceScatter, AllGather:
		rounds = 1
		if a == Ring {
			rounds = p - 1
		}
		if s.Kind == AllGather { // n is one rank's
			return rounds, size * others
		}
		return rounds, part
	case Broadcast, Reduce:
		if a == Tree {
			return log, size * float64(log)
		}
		return 1, size * others
	}
	switch a {
	case Direct:
		return 1, size * others
	case Tree:
		return 2 * log, 2 * size * float64(log)
	case Halving:
		down := bits.Len(uint(p)) - 1
		power := float64(int(1) << down)
		if 1<<down == p {
			return 2 * down, 2 * part
		}
		return 2*down + 2, 2*size*(power-1)/power + 2*size
	case Pairwise:
		return 2, 2 * part
	}
	return 2 * (p - 1), 2 * part
}

// LowerBound returns how many bytes a rank must send, on average, for an all-reduce of n bytes on p ranks: as
// many as the ring sends.
func LowerBound(n, p int) float64 { return 2 * float64(n) * float64(p-1) / float64(p) }
