package walk

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// stamp orders tokens, and the steps of a token.
type stamp struct {
	generation uint64 // 0: no token
	nonce      uint64 // random, for each start of a peer that issues tokens
	steps      uint64 // how often the token was trained
}

// after reports whether a stamp is later than another one.
func (s stamp) after(t stamp) bool {
	return cmp.Or(cmp.Compare(s.generation, t.generation), cmp.Compare(s.nonce, t.nonce), cmp.Compare(s.steps, t.steps)) > 0
}

// token is the model on its walk.
type token struct {
	stamp
	from  wire.PeerID // the peer that has passed it to the holder; zero: none
	model []float64
}

// The limits of a message: issuing tokens adds to a generation, and training to the steps.
const (
	maxCount = 1 << 62
	maxAhead = 1 << 32 // by which others are ahead of a peer that is new: so nobody uses up the numbers
	maxSize  = 1 << 24 // elements of a model
)

var errStamp = errors.New("a token of no generation, or one that cannot be counted")

// appendToken appends a token, or nil.
func appendToken(b []byte, t *token) []byte {
	if t == nil {
		t = &token{}
	}
	b = appendStamp(b, t.stamp)
	b = values.AppendPeer(b, t.from)
	return values.AppendDense(b, tensor.DenseOf(t.model, len(t.model)))
}

func appendStamp(b []byte, s stamp) []byte {
	b = binary.AppendUvarint(b, s.generation)
	b = binary.AppendUvarint(b, s.nonce)
	return binary.AppendUvarint(b, s.steps)
}

// readToken reads a token; nil if its generation is 0.
func readToken(f *values.Fields) (*token, error) {
	var t token
	var model tensor.Dense[float64]
	s := readStamp(f)
	f.Peer(&t.from)
	values.ReadDense(f, &model)
	t.stamp, t.model = s, slices.Clone(model.Data)
	if s.generation == 0 {
		return nil, nil
	}
	return &t, check(t.model)
}

func readStamp(f *values.Fields) stamp { return stamp{f.Uint(), f.Uint(), f.Uint()} }

// check returns an error for a stamp that no message may have after the latest one that was heard of. Those of a state may be
// larger, as they count on from messages.
func (s stamp) check(latest stamp) error {
	if s.generation > min(latest.generation+maxAhead, maxCount) || s.steps > min(latest.steps+maxAhead, maxCount) {
		return errStamp
	}
	return nil
}

// check returns an error unless a model is finite, and not too large.
func check(model []float64) error {
	if len(model) > maxSize {
		return fmt.Errorf("a model of %d elements, want at most %d", len(model), maxSize)
	}
	if i := slices.IndexFunc(model, func(v float64) bool { return v-v != 0 }); i >= 0 {
		return fmt.Errorf("element %d of the model is %v, want what is finite", i, model[i])
	}
	return nil
}
