package explore

import (
	"encoding/binary"

	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// deed is a unique action of a peer.
type deed struct {
	what  what
	where uint32 // the edge or step
	peer  uint32 // the other peer
	exec  wire.ExecID
}

type what uint32

const (
	took   what = iota // a fill
	sent               // a fill
	ran                // a step
	drew               // a random number
	tagged             // a tag
	begun              // a separate execution
	failed             // a block of an execution
	both               // values of an execution have arrived
)

// booted records that a peer has started.
var booted = deed{what: begun}

// ledger is the record of a peer's actions. It is part of the program's state, so that a restart undoes both.
type ledger struct {
	list  []deed
	at    map[deed]int
	taken int // the number of entries in the last snapshot
	safe  int // the number in the last durable one
}

// add records an action, and reports whether it is new.
func (l *ledger) add(d deed) bool {
	if _, twice := l.at[d]; twice {
		return false
	}
	if l.at == nil {
		l.at = map[deed]int{}
	}
	l.at[d] = len(l.list)
	l.list = append(l.list, d)
	return true
}

// count returns the number of actions of a kind with a peer.
func (l *ledger) count(w what, where, peer int) (n int) {
	for _, d := range l.list {
		if d.what == w && int(d.where) == where && int(d.peer) == peer {
			n++
		}
	}
	return n
}

// has reports whether an action was recorded, and whether it is durable.
func (l *ledger) has(d deed) (done, durable bool) {
	i, done := l.at[d]
	return done, done && i < l.safe
}

// AppendBinary appends the state.
func (l *ledger) AppendBinary(b []byte) ([]byte, error) {
	l.taken = len(l.list)
	b = binary.AppendUvarint(b, uint64(len(l.list)))
	for _, d := range l.list {
		b = binary.AppendUvarint(b, uint64(d.what)<<32|uint64(d.where))
		b = binary.AppendUvarint(b, uint64(d.peer))
		b = values.AppendPeer(b, d.exec.Origin)
		b = binary.AppendUvarint(binary.AppendUvarint(b, d.exec.Incarnation), d.exec.Number)
	}
	return b, nil
}

// UnmarshalBinary sets the state.
func (l *ledger) UnmarshalBinary(b []byte) error {
	*l = ledger{}
	r := values.NewFields(b)
	for range r.Uint() {
		x := r.Uint()
		d := deed{what: what(x >> 32), where: uint32(x), peer: uint32(r.Uint())}
		r.Peer(&d.exec.Origin)
		d.exec.Incarnation, d.exec.Number = r.Uint(), r.Uint()
		l.add(d)
	}
	l.safe = len(l.list)
	return r.End()
}
