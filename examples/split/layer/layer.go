// Package layer has the two halves of a small network, in plain Go, each with the
// gradient step of its own weights. Together they train as the whole network
// does.
package layer

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The sizes of the network and of a batch.
const (
	In, Hidden, Out = 4, 8, 3
	Batch           = 16
)

const rate = 0.5

// Front is h = tanh(x·W), on the peer that has the data: it draws points, and
// which of three corners each is nearest to.
type Front struct {
	Seed uint64

	w    []float32
	x, h tensor.Dense[float32]
	t    tensor.Dense[int64]
}

// Open draws the weights.
func (f *Front) Open(runtime.Env) error {
	f.w = weights(f.Seed, In*Hidden)
	return nil
}

func weights(seed uint64, n int) []float32 {
	r := rand.New(rand.NewPCG(seed, 0))
	w := make([]float32, n)
	for i := range w {
		w[i] = float32(r.NormFloat64()) / 2
	}
	return w
}

// NextBatch is the points of a round, as the network's first half has them, and
// their labels.
func (f *Front) NextBatch(round int64) (tensor.Dense[float32], tensor.Dense[int64], error) {
	r := rand.New(rand.NewPCG(f.Seed, uint64(round)+1))
	f.x.Resize(Batch, In)
	f.h.Resize(Batch, Hidden)
	f.t.Resize(Batch)
	for i := range Batch {
		label := r.IntN(Out)
		x := f.x.Data[i*In : (i+1)*In]
		for k := range x {
			x[k] = float32(r.NormFloat64())/4 + float32((label+k)%Out)
		}
		f.t.Data[i] = int64(label)
		for j := range Hidden {
			sum := 0.0
			for k, v := range x {
				sum += float64(v) * float64(f.w[k*Hidden+j])
			}
			f.h.Data[i*Hidden+j] = float32(math.Tanh(sum))
		}
	}
	return f.h, f.t, nil
}

// Learn takes the gradient of the loss by h, and makes a step.
func (f *Front) Learn(dh tensor.Dense[float32]) error {
	if len(dh.Data) != len(f.h.Data) {
		return fmt.Errorf("a gradient of shape %v, want %v", dh.Shape, f.h.Shape)
	}
	for i := range Batch {
		for j := range Hidden {
			h := f.h.Data[i*Hidden+j]
			d := dh.Data[i*Hidden+j] * (1 - h*h)
			for k := range In {
				f.w[k*Hidden+j] -= rate * f.x.Data[i*In+k] * d
			}
		}
	}
	return nil
}

// AppendBinary appends the weights, and what Learn needs of the last batch.
func (f *Front) AppendBinary(b []byte) ([]byte, error) {
	b = runtime.AppendDense(b, tensor.DenseOf(f.w, len(f.w)))
	b = runtime.AppendDense(b, f.x)
	return runtime.AppendDense(b, f.h), nil
}

// UnmarshalBinary sets what AppendBinary has written.
func (f *Front) UnmarshalBinary(b []byte) error {
	var w tensor.Dense[float32]
	r := runtime.NewFields(b)
	runtime.ReadDense(r, &w)
	runtime.ReadDense(r, &f.x)
	runtime.ReadDense(r, &f.h)
	if err := r.End(); err != nil {
		return err
	}
	if len(w.Data) != In*Hidden {
		return fmt.Errorf("%d weights, want %d", len(w.Data), In*Hidden)
	}
	f.w = w.Data
	return nil
}

// Back is the cross entropy of softmax(h·V).
type Back struct {
	Seed uint64

	v  []float32
	dh tensor.Dense[float32]
}

// Open draws the weights.
func (b *Back) Open(runtime.Env) error {
	b.v = weights(b.Seed+1, Hidden*Out)
	return nil
}

// Step is the loss of a batch and its gradient by h, before it makes a step.
func (b *Back) Step(h tensor.Dense[float32], t tensor.Dense[int64]) (tensor.Dense[float32], float32, error) {
	n := len(t.Data)
	if len(h.Data) != n*Hidden {
		return b.dh, 0, fmt.Errorf("%d labels for values of shape %v", n, h.Shape)
	}
	b.dh.Resize(n, Hidden)
	dv := make([]float32, len(b.v))
	loss := 0.0
	for i, label := range t.Data {
		if label < 0 || label >= Out {
			return b.dh, 0, fmt.Errorf("label %d, want 0 to %d", label, Out-1)
		}
		p := b.softmax(h.Data[i*Hidden : (i+1)*Hidden])
		loss -= math.Log(p[label]) / float64(n)
		p[label]--
		for j := range Hidden {
			sum := float32(0)
			for k := range p {
				d := float32(p[k]) / float32(n)
				sum += d * b.v[j*Out+k]
				dv[j*Out+k] += d * h.Data[i*Hidden+j]
			}
			b.dh.Data[i*Hidden+j] = sum
		}
	}
	for i := range dv {
		b.v[i] -= rate * dv[i]
	}
	return b.dh, float32(loss), nil
}

func (b *Back) softmax(h []float32) [Out]float64 {
	var p [Out]float64
	total := 0.0
	for k := range p {
		for j, v := range h {
			p[k] += float64(v) * float64(b.v[j*Out+k])
		}
		p[k] = math.Exp(p[k])
		total += p[k]
	}
	for k := range p {
		p[k] /= total
	}
	return p
}

// AppendBinary appends the weights.
func (b *Back) AppendBinary(buf []byte) ([]byte, error) {
	return runtime.AppendDense(buf, tensor.DenseOf(b.v, len(b.v))), nil
}

// UnmarshalBinary sets what AppendBinary has written.
func (b *Back) UnmarshalBinary(buf []byte) error {
	var v tensor.Dense[float32]
	r := runtime.NewFields(buf)
	runtime.ReadDense(r, &v)
	if err := r.End(); err != nil {
		return err
	}
	if len(v.Data) != Hidden*Out {
		return fmt.Errorf("%d weights, want %d", len(v.Data), Hidden*Out)
	}
	b.v = v.Data
	return nil
}
