// Package parts contains components of the roles program: one for each role without a component of bbgen that
// would show the calls.
package parts

import (
	"context"
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Scale is a model of one parameter: y = w·x. Its loss is half of the squared
// distance from the targets.
type Scale struct {
	Rate float32

	w, grad float32
	x       []float32
}

// Forward is w·x.
func (s *Scale) Forward(_ context.Context, x tensor.Dense[float32]) (tensor.Dense[float32], error) {
	s.x = append(s.x[:0], x.Data...)
	return times(s.w, x), nil
}

func times(w float32, x tensor.Dense[float32]) tensor.Dense[float32] {
	y := x.Clone()
	for i := range y.Data {
		y.Data[i] *= w
	}
	return y
}

// Backward is w·dy, and keeps x·dy for the parameter.
func (s *Scale) Backward(dy tensor.Dense[float32]) (tensor.Dense[float32], error) {
	for i, d := range dy.Data {
		s.grad += s.x[i] * d
	}
	return times(s.w, dy), nil
}

// ComputeLoss returns the loss of x for targets.
func (s *Scale) ComputeLoss(x, targets tensor.Dense[float32]) (float32, error) {
	var sum float32
	for i, v := range x.Data {
		d := s.w*v - targets.Data[i]
		sum += d * d / 2
	}
	return sum, nil
}

// TrainStep makes a step along the negative gradient.
func (s *Scale) TrainStep(x, targets tensor.Dense[float32]) (float32, error) {
	loss, _ := s.ComputeLoss(x, targets)
	var grad float32
	for i, v := range x.Data {
		grad += v * (s.w*v - targets.Data[i])
	}
	s.w -= s.Rate * grad
	return loss, nil
}

// ApplyDelta adds to the parameter.
func (s *Scale) ApplyDelta(d tensor.Dense[float32]) error { s.w += d.Data[0]; return nil }

// LoadParameters sets the parameter.
func (s *Scale) LoadParameters(p tensor.Dense[float32]) error { s.w = p.Data[0]; return nil }

// Params returns the parameter, and the gradient that Backward has kept.
func (s *Scale) Params() (tensor.Dense[float32], error) {
	return tensor.DenseOf([]float32{s.w, s.grad}, 2), nil
}

// AppendBinary appends all of it.
func (s *Scale) AppendBinary(b []byte) ([]byte, error) {
	b = values.AppendScalar(values.AppendScalar(b, s.w), s.grad)
	return values.AppendDense(b, tensor.DenseOf(s.x, len(s.x))), nil
}

// UnmarshalBinary restores the state written by AppendBinary.
func (s *Scale) UnmarshalBinary(b []byte) error {
	var x tensor.Dense[float32]
	r := values.NewFields(b)
	values.ReadScalar(r, &s.w)
	values.ReadScalar(r, &s.grad)
	values.ReadDense(r, &x)
	s.x = x.Data
	return r.End()
}

// Source counts: its batches are 1, 2, 3 and so on, and twice that.
type Source struct {
	From int

	next   int
	loaded bool
}

var errLoaded = errors.New("nobody has said that the data are there")

// OnDataLoaded records that the data are loaded.
func (s *Source) OnDataLoaded() error { s.loaded = true; return nil }

// NextBatch returns a number, and twice that.
func (s *Source) NextBatch() (x, t tensor.Dense[float32], err error) {
	if !s.loaded {
		return x, t, errLoaded
	}
	v := float32(s.From + s.next)
	s.next++
	return tensor.DenseOf([]float32{v}, 1), tensor.DenseOf([]float32{2 * v}, 1), nil
}

// Reset begins again.
func (s *Source) Reset() error { s.next = 0; return nil }

// Samples returns the number of samples.
func (s *Source) Samples() (float32, error) { return float32(s.From), nil }

// AppendBinary appends where the source is.
func (s *Source) AppendBinary(b []byte) ([]byte, error) {
	return values.AppendScalar(values.AppendScalar(b, int64(s.next)), s.loaded), nil
}

// UnmarshalBinary restores the state written by AppendBinary.
func (s *Source) UnmarshalBinary(b []byte) error {
	var next int64
	r := values.NewFields(b)
	values.ReadScalar(r, &next)
	values.ReadScalar(r, &s.loaded)
	s.next = int(next)
	return r.End()
}

// Own has methods with signatures other than those of roles.
type Own struct{}

// Mix takes a number, a peer and peers, and returns a number, a text and peers.
func (Own) Mix(x float32, one wire.PeerID, all []wire.PeerID) (float32, string, []wire.PeerID, error) {
	at := -1
	for i, p := range all {
		if p == one {
			at = i
		}
	}
	return 2 * x, fmt.Sprintf("/peer/%d/of/%d", at, len(all)), all, nil
}

// Say returns its words with one more, and a single word.
func (Own) Say(words tensor.Dense[string]) (tensor.Dense[string], string, error) {
	list := append(words.Data[:len(words.Data):len(words.Data)], "")
	return tensor.DenseOf(list, len(list)), "zwölf", nil
}

// Sum returns a command of two tensors that have nothing in common.
func (Own) Sum(_ context.Context, a tensor.Dense[int64], b tensor.Dense[bool]) (int64, error) {
	var sum int64
	for _, v := range a.Data {
		sum += v
	}
	return sum + int64(len(b.Data)), nil
}
