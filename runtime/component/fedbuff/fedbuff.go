// Package fedbuff aggregates without rounds: J. Nguyen and others, "Federated Learning with Buffered
// Asynchronous Aggregation", 2022. Each client gets the present model, trains, and sends its change; the server
// updates its model whenever there are enough changes. The server does not wait for slow clients. A change
// counts for less, the older the model is with which it began.
//
//	ask := g.Input("ask", dsl.TriggerType)
//	now := s.Buffer.CallN(g, "Current", []dsl.Type{dsl.Float32(dsl.Any), dsl.Int64()}, s.Model.Params(g), ask)
//	g.NetOut("model", g.Sender(ask), now[0])
//	g.NetOut("version", g.Sender(ask), now[1])
//	s.Buffer.Call(g, "Add", dsl.Int64(), g.Input("change", dsl.Float32(dsl.Any)), g.Input("base", dsl.Int64()))
package fedbuff

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// Buffer is the server's model and the changes that are not yet in it.
type Buffer struct {
	Size     int     // the number of changes for a new model; 0: 10
	Rate     float64 // of the server; 0: 1
	Exponent float64 // a change that is s versions late counts (1+s)^-Exponent; 0: 0.5

	model   tensor.Dense[float32] // without a shape before it is known
	version int64
	sum     tensor.Dense[float64] // of the changes since the last version
	count   int64
}

// Open checks the configuration.
func (b *Buffer) Open(runtime.Env) error {
	if b.Size < 0 {
		return fmt.Errorf("fedbuff.Buffer: Size is %d, want 1 or more, or 0 for the usual one", b.Size)
	}
	for _, x := range []float64{b.Rate, b.Exponent} {
		if !(x >= 0) || math.IsInf(x, 0) {
			return fmt.Errorf("fedbuff.Buffer: Rate or Exponent is %v, want a number above 0, or 0 for the usual one", x)
		}
	}
	return nil
}

func (b *Buffer) size() int64 { return int64(cmp.Or(b.Size, 10)) }

// Current returns the present model and the number of its version, from 0. The first call sets the model of
// version 0. The result is valid until the next call.
func (b *Buffer) Current(first tensor.Dense[float32]) (model tensor.Dense[float32], version int64, err error) {
	if b.model.Shape == nil {
		b.model.Set(first)
		b.sum.Resize(first.Shape...)
		clear(b.sum.Data)
	}
	if !slices.Equal(first.Shape, b.model.Shape) {
		return b.model, b.version, fmt.Errorf("the model has shape %v, want that of version 0, %v", first.Shape, b.model.Shape)
	}
	return b.model, b.version, nil
}

// Add adds a client's change of the model of a version, and returns the number of the present version. A change
// that is not finite, or of an unknown version, is refused without effect.
func (b *Buffer) Add(change tensor.Dense[float32], base int64) (version int64, err error) {
	switch {
	case base < 0 || base > b.version:
		return b.version, fmt.Errorf("a change of version %d, want one from 0 to %d", base, b.version)
	case !slices.Equal(change.Shape, b.model.Shape):
		return b.version, fmt.Errorf("the change has shape %v, want the model's, %v", change.Shape, b.model.Shape)
	case !cpu.AllFinite(change.Data):
		return b.version, errors.New("the change is not finite")
	}
	cpu.AddScaled64(b.sum.Data, change.Data, math.Pow(float64(1+b.version-base), -cmp.Or(b.Exponent, 0.5)))
	if b.count++; b.count < b.size() {
		return b.version, nil
	}
	return b.renew()
}

// renew makes a version of the buffered changes, and clears the buffer.
func (b *Buffer) renew() (int64, error) {
	next := b.model.Clone()
	part := cmp.Or(b.Rate, 1) / float64(b.count)
	for i, d := range b.sum.Data {
		next.Data[i] = float32(float64(next.Data[i]) + float64(part*d))
	}
	clear(b.sum.Data)
	b.count = 0
	if !cpu.AllFinite(next.Data) {
		return b.version, errors.New("the changes lead to what is not finite: want a smaller rate")
	}
	b.model = next
	b.version++
	return b.version, nil
}

// AppendBinary appends the model and the buffer.
func (b *Buffer) AppendBinary(dst []byte) ([]byte, error) {
	dst = values.AppendScalar(dst, b.model.Shape != nil)
	if b.model.Shape != nil {
		dst = values.AppendDense(values.AppendDense(dst, b.model), b.sum)
	}
	return values.AppendScalar(values.AppendScalar(dst, b.version), b.count), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (b *Buffer) UnmarshalBinary(data []byte) error {
	var begun bool
	var read Buffer
	f := values.NewFields(data)
	if values.ReadScalar(f, &begun); begun {
		values.ReadDense(f, &read.model)
		values.ReadDense(f, &read.sum)
	}
	values.ReadScalar(f, &read.version)
	values.ReadScalar(f, &read.count)
	if err := f.End(); err != nil {
		return err
	}
	if !slices.Equal(read.model.Shape, read.sum.Shape) || read.version < 0 || read.count < 0 || read.count >= b.size() {
		return fmt.Errorf("%d changes of shape %v to version %d of a model of shape %v", read.count, read.sum.Shape, read.version, read.model.Shape)
	}
	b.model, b.version, b.sum, b.count = read.model, read.version, read.sum, read.count
	return nil
}
