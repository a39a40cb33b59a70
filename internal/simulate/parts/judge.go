package parts

import (
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Judge gives each gossiping peer the square of its rank as its value. It reports once when the peer's
// estimate is near the mean of all, and once when it has a model of a walk that all peers have trained.
type Judge struct {
	Peers        int
	rank         int
	said, walked bool
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
func (j *Judge) Agrees(n runtime.Peer, estimate Vec) ([]wire.PeerID, Vec, error) {
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
func (j *Judge) Walked(n runtime.Peer, model Vec) ([]wire.PeerID, Vec, error) {
	x := tensor.DenseOf([]float64{float64(j.rank), float64(j.Peers)}, 2)
	if j.walked || len(model.Data) != j.Peers || !(slices.Min(model.Data) > 0) {
		return nil, x, nil
	}
	j.walked = true
	return n.Peers(nil, "leader"), x, nil
}

// AppendBinary appends the state.
func (j *Judge) AppendBinary(b []byte) ([]byte, error) {
	return values.AppendScalar(values.AppendScalar(b, j.said), j.walked), nil
}

// UnmarshalBinary sets the state.
func (j *Judge) UnmarshalBinary(b []byte) error {
	r := values.NewFields(b)
	values.ReadScalar(r, &j.said)
	values.ReadScalar(r, &j.walked)
	return r.End()
}
