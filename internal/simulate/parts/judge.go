package parts

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Judge gives each gossiping peer the square of its rank as its value. It reports once when the peer's
// estimate is near the mean of all, once when it has a model of a walk that all peers have trained, and once when
// it has found what the next peer has stored.
type Judge struct {
	Peers               int
	rank                int
	said, walked, found bool
}

// Open stores the peer's rank.
func (j *Judge) Open(e runtime.Env) error {
	j.rank = e.Rank
	return nil
}

// Value returns the peer's value.
func (j *Judge) Value() (Vec, error) {
	return tensor.DenseOf([]float64{float64(j.rank * j.rank)}, 1), nil
}

// Agrees returns the leader's id when an estimate is near the mean for the first time.
func (j *Judge) Agrees(n *runtime.Node, estimate Vec) ([]wire.PeerID, Vec, error) {
	mean := 0.0
	for i := range j.Peers {
		mean += float64(i*i) / float64(j.Peers)
	}
	x := tensor.DenseOf([]float64{float64(j.rank), float64(j.Peers)}, 2)
	if j.said || !(math.Abs(estimate.Data[0]-mean) < 1e-3) {
		return nil, x, nil
	}
	j.said = true
	return n.Peers(nil, "leader"), x, nil
}

// Train counts in a model how often each peer has trained it.
func (j *Judge) Train(model []float64) ([]float64, error) {
	if len(model) == 0 {
		model = make([]float64, j.Peers)
	}
	model[j.rank]++
	return model, nil
}

// Walked returns the leader's id when all have trained a model for the first time.
func (j *Judge) Walked(n *runtime.Node, model Vec) ([]wire.PeerID, Vec, error) {
	x := tensor.DenseOf([]float64{float64(j.rank), float64(j.Peers)}, 2)
	if j.walked || len(model.Data) == 0 || slices.Min(model.Data) == 0 {
		return nil, x, nil
	}
	j.walked = true
	return n.Peers(nil, "leader"), x, nil
}

// Key returns the key of the peer's value.
func (j *Judge) Key() (Bytes, error) { return keyOf(j.rank), nil }

// Word returns the value that the peer stores: its rank.
func (j *Judge) Word() (Bytes, error) { return tensor.DenseOf([]byte{byte(j.rank)}, 1), nil }

// Next returns the key of the next peer's value.
func (j *Judge) Next() (Bytes, error) { return keyOf(j.next()), nil }

func (j *Judge) next() int { return (j.rank + 1) % j.Peers }

// Bytes is the type of keys and stored values.
type Bytes = tensor.Dense[uint8]

func keyOf(rank int) Bytes {
	key := sha256.Sum256([]byte{byte(rank)})
	return tensor.DenseOf(key[:], len(key))
}

// Found returns the leader's id when the next peer's value is found for the first time. No other value may be.
func (j *Judge) Found(n *runtime.Node, word Bytes) ([]wire.PeerID, Vec, error) {
	x := tensor.DenseOf([]float64{float64(j.rank), float64(j.Peers)}, 2)
	switch {
	case word.Len() == 0 || j.found:
		return nil, x, nil
	case word.Len() != 1 || int(word.Data[0]) != j.next():
		return nil, x, fmt.Errorf("found %v, want the value of worker %d", word.Data, j.next())
	}
	j.found = true
	return n.Peers(nil, "leader"), x, nil
}

// AppendBinary appends the state.
func (j *Judge) AppendBinary(b []byte) ([]byte, error) {
	return runtime.AppendScalar(runtime.AppendScalar(runtime.AppendScalar(b, j.said), j.walked), j.found), nil
}

// UnmarshalBinary sets the state.
func (j *Judge) UnmarshalBinary(b []byte) error {
	r := runtime.NewFields(b)
	runtime.ReadScalar(r, &j.said)
	runtime.ReadScalar(r, &j.walked)
	runtime.ReadScalar(r, &j.found)
	return r.End()
}
