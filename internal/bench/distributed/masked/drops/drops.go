// Package drops contains the component of clients of which some are lost in each round.
package drops

import (
	"errors"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The clients of a round, and those that are lost.
const (
	Clients = 10
	Lost    = 2
	Quorum  = Clients - Lost
)

// Drops computes the changes of a client. In each round those of two ranks fail, which are the next two in the round after.
type Drops struct {
	rank, round int
}

// Open stores the rank.
func (d *Drops) Open(env runtime.Env) error {
	d.rank = env.Rank
	return nil
}

var errLost = errors.New("this client is lost in this round, as the measurement wants")

// Change returns a small change of each parameter.
func (d *Drops) Change(params tensor.Dense[float32]) (tensor.Dense[float32], error) {
	d.round++
	if (d.rank+Lost*d.round)%Clients < Lost {
		return tensor.Dense[float32]{}, errLost
	}
	out := tensor.NewDense[float32](params.Shape...)
	for i := range out.Data {
		out.Data[i] = 1e-4
	}
	return out, nil
}

// AppendBinary appends the number of rounds.
func (d *Drops) AppendBinary(b []byte) ([]byte, error) {
	return runtime.AppendScalar(b, int64(d.round)), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (d *Drops) UnmarshalBinary(b []byte) error {
	var round int64
	f := runtime.NewFields(b)
	runtime.ReadScalar(f, &round)
	d.round = int(round)
	return f.End()
}
