package parts

import (
	"math"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Judge gives each gossiping peer the square of its rank as its value. It reports once when the peer's
// estimate is near the mean of all.
type Judge struct {
	Peers int
	rank  int
	said  bool
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

// AppendBinary appends the state.
func (j *Judge) AppendBinary(b []byte) ([]byte, error) { return runtime.AppendScalar(b, j.said), nil }

// UnmarshalBinary sets the state.
func (j *Judge) UnmarshalBinary(b []byte) error {
	r := runtime.NewFields(b)
	runtime.ReadScalar(r, &j.said)
	return r.End()
}
