// Package parts holds the components of the gossip program.
package parts

import (
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/sampling"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// PushSum is a protocol that finds the mean of what all peers have: D. Kempe, A.
// Dobra and J. Gehrke, "Gossip-Based Computation of Aggregate Information", 2003.
// Each peer has a sum and a weight, and gives half of both away again and again:
// neither gets lost, and the quotient becomes the mean everywhere.
type PushSum struct {
	Others *sampling.Shuffle

	sum, weight float64
}

// Open has the peer begin with its rank.
func (p *PushSum) Open(env runtime.Env) error {
	p.sum, p.weight = float64(env.Rank), 1
	return nil
}

// Tick gives half away to one of the peers that gossip knows.
func (p *PushSum) Tick(n *runtime.Node) ([]wire.PeerID, tensor.Dense[float64], error) {
	view := sampling.View{Shuffle: p.Others}
	to, err := view.Sample(n, 1)
	if len(to) == 0 {
		return nil, tensor.DenseOf([]float64{0, 0}, 2), err
	}
	p.sum, p.weight = p.sum/2, p.weight/2
	return to, tensor.DenseOf([]float64{p.sum, p.weight}, 2), nil
}

// Receive takes what another one has given away. It answers nobody.
func (p *PushSum) Receive(_ wire.PeerID, m tensor.Dense[float64]) ([]wire.PeerID, tensor.Dense[float64], error) {
	p.sum += m.Data[0]
	p.weight += m.Data[1]
	return nil, m, nil
}

// Answered is never told anything.
func (p *PushSum) Answered(wire.PeerID, tensor.Dense[float64]) error { return nil }

// Estimate is what the peer takes for the mean.
func (p *PushSum) Estimate() (float64, error) { return p.sum / p.weight, nil }

// AppendBinary appends the peer's share.
func (p *PushSum) AppendBinary(b []byte) ([]byte, error) {
	return runtime.AppendScalar(runtime.AppendScalar(b, p.sum), p.weight), nil
}

// UnmarshalBinary sets what AppendBinary has written.
func (p *PushSum) UnmarshalBinary(b []byte) error {
	r := runtime.NewFields(b)
	runtime.ReadScalar(r, &p.sum)
	runtime.ReadScalar(r, &p.weight)
	return r.End()
}
