package wire

import "math"

// Parallel is a message of the envelope stream, between envelopes, about a parallel stream of the same two
// peers. It stands in the place of an envelope that is sent on that stream: so the receiver can read all
// envelopes in the order in which they were sent.
type Parallel struct {
	Stream int  // its number, from 1
	Opens  bool // the peer that has opened the stream may be sent envelopes on it; none stands here
}

// message Parallel, which has no field of an envelope
const (
	parallelStream = 27<<3 | varintType
	parallelOpens  = 28<<3 | varintType
)

// parallelHead is the tag at the beginning of every Parallel, but of no envelope, Ping or Introduction.
const parallelHead = "\xd8\x01"

// AppendParallel appends a Parallel.
func AppendParallel(b []byte, p Parallel) []byte {
	b = appendVarint(b, parallelStream, uint64(p.Stream))
	if p.Opens {
		b = appendVarint(b, parallelOpens, 1)
	}
	return b
}

// IsParallel reports whether a message of the envelope stream is a Parallel.
func IsParallel(b []byte) bool {
	return len(b) > len(parallelHead) && string(b[:len(parallelHead)]) == parallelHead
}

// ConsumeParallel reads a Parallel, which is all of b.
func ConsumeParallel(b []byte) (p Parallel, err error) {
	for len(b) > 0 {
		var t tag
		var v uint64
		if t, v, _, b, err = next(b); err != nil {
			return Parallel{}, malformed("parallel", "%v", err)
		}
		switch t {
		case parallelStream:
			p.Stream = int(min(v, math.MaxInt32))
		case parallelOpens:
			p.Opens = v != 0
		}
	}
	if p.Stream == 0 {
		return Parallel{}, malformed("parallel", "no number of a stream")
	}
	return p, nil
}
