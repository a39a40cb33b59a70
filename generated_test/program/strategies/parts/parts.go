// Package parts contains the components of the clients of package strategies.
package parts

import (
	"math"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The clients that are hostile.
const (
	Flipper = 0 // sends the change times -100
	Spoiler = 1 // sends values that are not finite
)

// Learner pretends to learn.
type Learner struct {
	Rank int // set by Open
}

// Open stores the rank of the client.
func (l *Learner) Open(env runtime.Env) error {
	l.Rank = env.Rank
	return nil
}

// Change returns the change of an honest client in each element of a model: about 1.
func (l *Learner) Change(model tensor.Dense[float32]) (tensor.Dense[float32], error) {
	out := model.Clone()
	for i := range out.Data {
		out.Data[i] = 1 + float32(l.Rank)/100
	}
	return out, nil
}

// Sent returns the change that a client reports.
func (l *Learner) Sent(change tensor.Dense[float32]) (tensor.Dense[float32], error) {
	out := change.Clone()
	for i := range out.Data {
		switch l.Rank {
		case Flipper:
			out.Data[i] *= -100
		case Spoiler:
			out.Data[i] = float32(math.NaN())
		}
	}
	return out, nil
}
