// Package parts contains the tasks of the clients of package choosing.
package parts

import (
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// The parameters of the tasks.
const (
	Shared = 40 // elements of the common model
	Mu     = 1  // how much each client's whole model is drawn to the common one
)

type vector = tensor.Dense[float32]

// Task is the task of one client. Its kind is 1 if its rank is even, otherwise -1: models of the kind end at that. Of the
// common model each element ends at 1; the client's own element ends at its rank, and its whole model between 1 and 3.
type Task struct {
	rank       int
	own, ditto []float32 // empty: not trained yet
}

// Open stores the rank.
func (k *Task) Open(env runtime.Env) error {
	k.rank = env.Rank
	return nil
}

func (k *Task) kind() float32 { return float32(1 - 2*(k.rank%2)) }

// Losses returns the distance of each model from that of the client's kind.
func (k *Task) Losses(models vector) (vector, error) {
	out := tensor.DenseOf(make([]float32, models.Shape[0]), models.Shape[0])
	n := models.Shape[1]
	for i, v := range models.Data {
		d := v - k.kind()
		out.Data[i/n] += float32(d * d)
	}
	return out, nil
}

// Change returns half the way from a model to that of the kind.
func (k *Task) Change(model vector) (vector, error) { return toward(model, k.kind(), false), nil }

// toward goes half the way from x to a target in each element. It returns the result, or the change.
func toward(x vector, target float32, result bool) vector {
	out := x.Clone()
	for i, v := range x.Data {
		out.Data[i] = (target - v) / 2
		if result {
			out.Data[i] += v
		}
	}
	return out
}

// Own returns the client's model for a common one: the own element is at the end.
func (k *Task) Own(shared vector) (vector, error) {
	own := slices.Clone(shared.Data)
	if len(k.own) == 0 {
		k.own = []float32{0}
	}
	own = append(own, k.own...)
	return tensor.DenseOf(own, len(own)), nil
}

// Train trains a model, and keeps the own element.
func (k *Task) Train(model vector) (vector, error) {
	out := toward(model, 1, true)
	last := len(out.Data) - 1
	out.Data[last] = (model.Data[last] + float32(k.rank)) / 2
	k.own = []float32{out.Data[last]}
	return out, nil
}

// Ditto returns the client's whole model and its gradients. Alone it would end at 3.
func (k *Task) Ditto(shared vector) (model, gradients vector, err error) {
	if len(k.ditto) != len(shared.Data) {
		k.ditto = make([]float32, len(shared.Data))
	}
	model = tensor.DenseOf(slices.Clone(k.ditto), len(k.ditto))
	gradients = model.Clone()
	for i := range gradients.Data {
		gradients.Data[i] -= 3
	}
	return model, gradients, nil
}

// Keep makes a step of the whole model, and keeps it.
func (k *Task) Keep(model, gradients vector) (vector, error) {
	for i, d := range gradients.Data {
		k.ditto[i] = model.Data[i] - d/4
	}
	return tensor.DenseOf(slices.Clone(k.ditto), len(k.ditto)), nil
}

// AppendBinary appends what the client keeps to itself.
func (k *Task) AppendBinary(b []byte) ([]byte, error) {
	for _, x := range [][]float32{k.own, k.ditto} {
		b = values.AppendDense(b, tensor.DenseOf(x, len(x)))
	}
	return b, nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (k *Task) UnmarshalBinary(b []byte) error {
	f := values.NewFields(b)
	for _, x := range []*[]float32{&k.own, &k.ditto} {
		var v vector
		values.ReadDense(f, &v)
		*x = slices.Clone(v.Data)
	}
	return f.End()
}
