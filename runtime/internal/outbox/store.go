package outbox

import (
	"github.com/bbgen/bbgen/runtime/internal/ledger"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// A Store makes the envelopes and payloads of all boxes of a node, and reuses their memory.
type Store struct {
	spool     *values.Keeper
	ledger    *ledger.Ledger
	chunk     int                    // the size above which a copied payload is certainly bulk
	bulks     uint64                 // the number of payloads that were named
	delivered int64                  // bytes that were acknowledged in envelopes
	pins      map[*tensor.Memory]int // how many payloads are parts of a memory
	payloads  []*Payload             // free
	envelopes []*Envelope            // free
}

// NewStore returns a Store that keeps large payloads in the spool and counts all of them in the ledger.
func NewStore(spool *values.Keeper, l *ledger.Ledger, chunk int) Store {
	return Store{spool: spool, ledger: l, chunk: chunk}
}

// Envelope returns an empty envelope.
func (s *Store) Envelope() *Envelope {
	if k := len(s.envelopes); k > 0 {
		e := s.envelopes[k-1]
		s.envelopes = s.envelopes[:k-1]
		return e
	}
	return &Envelope{}
}

// Free releases an envelope that is in no box.
func (s *Store) Free(e *Envelope) {
	for i := range e.Fills {
		if p := e.Fills[i].Payload; p != nil {
			s.Release(p)
		}
		e.Fills[i] = Fill{}
	}
	fills := e.Fills[:0]
	*e = Envelope{Fills: fills}
	s.envelopes = append(s.envelopes, e)
}
