package collective

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// lies are what a rank can send in place of a message, and the errors by which the others name it.
var lies = map[string]struct {
	alter func(m *Message)
	want  error
}{
	"another size": {func(m *Message) { m.Length++ }, ErrMismatch},
	"NaN": {func(m *Message) {
		if m.Type == Data && m.Chunk != lastChunk && len(m.Data) >= 4 {
			binary.LittleEndian.PutUint32(m.Data, math.Float32bits(float32(math.NaN())))
		}
	}, ErrNotFinite},
	"infinity": {func(m *Message) {
		if m.Type == Data && m.Chunk != lastChunk && len(m.Data) >= 4 {
			binary.LittleEndian.PutUint32(m.Data[len(m.Data)-4:], math.Float32bits(float32(math.Inf(-1))))
		}
	}, ErrNotFinite},
	"a call out of order":      {func(m *Message) { m.Call += 1 << 20 }, ErrOrder},
	"other members":            {func(m *Message) { m.Epoch.View++ }, ErrEpoch},
	"a chunk that is none":     {func(m *Message) { m.Chunk = 1 << 20 }, ErrMessage},
	"a message after the last": {func(m *Message) { m.Step += 100 }, ErrMessage},
	"too few bytes": {func(m *Message) {
		if len(m.Data) > 0 {
			m.Data = m.Data[:len(m.Data)-1]
		}
	}, ErrMessage},
	"another algorithm": {func(m *Message) { m.Algorithm = (m.Algorithm + 1) % numAlgorithms }, ErrMessage},
	"that it is lost": {func(m *Message) {
		*m = Message{Type: Lost, Epoch: m.Epoch, Data: (&report{lostOnly(), make([]uint64, 5), false, 0, Links{}, make([]progress, 1), nil}).appendSigned(nil)}
	}, ErrMessage},
	"a decision alone": {func(m *Message) { *m = Message{Type: Decided, Epoch: m.Epoch, Data: []byte{0, 0, 0, 0, 0, 255}} }, ErrMessage},
}

const liar = 3 // of five

func lostOnly() []bool { return []bool{liar: true, 4: false} }

// TestLiars: each honest rank that a liar reaches names it, in the error of the call or of the message, and no honest rank is
// named, whatever the lie is and by which algorithm the ranks add.
func TestLiars(t *testing.T) {
	for what, lie := range lies {
		for _, a := range []Algorithm{Direct, Ring, Tree, Halving, Pairwise} {
			for seed := range uint64(8) {
				n := newNetwork(t, seed, Config{Ranks: 5, IfLost: IfLost(seed % 3), Chunk: 16, Streams: []Spec{{Elem: tensor.Float32, Algorithm: a, Finite: true}}})
				n.begin(20)
				named := 0
				for n.pull() || len(n.flying) > 0 {
					named += n.receiveLies(what, lie.want, lie.alter)
				}
				n.collect()
				for rank, g := range n.groups {
					var errs []error
					for _, r := range n.results[rank] {
						errs = append(errs, r.Err)
					}
					for _, err := range append(errs, g.Err()) {
						if errors.Is(err, ErrLost) && g.config.IfLost == Fail && lie.want == ErrEpoch {
							continue // the end of an honest rank may be noticed before its report
						}
						if r, ok := errors.AsType[*RankError](err); ok && rank != liar {
							if named++; r.Rank != liar || !errors.Is(err, lie.want) {
								t.Errorf("%s by %v, seed %d: rank %d has %v, want %v of rank %d", what, a, seed, rank, err, lie.want, liar)
							}
						} else if err != nil && rank != liar {
							t.Errorf("%s by %v, seed %d: rank %d has %v, want an error about rank %d", what, a, seed, rank, err, liar)
						}
					}
				}
				for rank := range n.groups { // they go on without a rank that has other members
					if lie.want == ErrEpoch && IfLost(seed%3) == Repeat && rank != liar && (len(n.results[rank]) != 1 || n.results[rank][0].Err != nil) {
						t.Errorf("%s by %v, seed %d: rank %d has the results %v, want one without an error", what, a, seed, rank, n.results[rank])
					}
				}
				if named == 0 {
					t.Errorf("%s by %v, seed %d: nobody is named", what, a, seed)
				}
			}
		}
	}
}

// receiveLies delivers any message, those of the liar as it alters them. It returns how many were refused.
func (n *network) receiveLies(what string, want error, alter func(m *Message)) (refused int) {
	if len(n.flying) == 0 {
		return 0
	}
	i := n.r.IntN(len(n.flying))
	p := n.flying[i]
	n.flying = slices.Delete(n.flying, i, i+1)
	m := p.Message
	m.Data = slices.Clone(m.Data)
	if p.from == liar {
		alter(&m)
	}
	if err := n.groups[p.to].Receive(p.from, &m); err != nil {
		r, ok := errors.AsType[*RankError](err)
		if refused++; !ok || r.Rank != liar || !errors.Is(err, want) {
			n.t.Errorf("%s: rank %d refuses %v, want %v of rank %d", what, p.to, err, want, liar)
		}
	}
	for r, g := range n.groups {
		for _, err := range g.Refused() {
			if rank, ok := errors.AsType[*RankError](err); r != liar && (!ok || rank.Rank != liar) {
				n.t.Errorf("%s: rank %d refuses %v, want an error about rank %d", what, r, err, liar)
			}
			refused++
		}
	}
	return refused
}
