package parts

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/clustered"
	"github.com/bbgen/bbgen/runtime/component/codec"
	"github.com/bbgen/bbgen/runtime/component/delta"
	"github.com/bbgen/bbgen/runtime/component/personal"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Sketch is a codec that estimates the largest elements.
type Sketch struct{ codec.Sketch }

// Step is what arrives of a, with what earlier calls have left out.
func (c *Sketch) Step(a, _ Model) (Model, error) { return through(c, a) }

// Layers is a model with local elements.
type Layers struct{ stateless }

// Step returns b with the first element of a.
func (*Layers) Step(a, b Model) (Model, error) {
	l := personal.Layers{Local: []personal.Range{{From: 0, To: 1}}}
	shared, err := l.Shared(b)
	if err != nil {
		return a, err
	}
	return l.Merge(a, shared)
}

// Kinds is a round of clients of two kinds.
type Kinds struct{ stateless }

// Step returns the mean of the changes of a's kind, which are a and half of it.
func (*Kinds) Step(a, b Model) (Model, error) {
	n := len(a.Data)
	mean := clustered.Average{Clusters: 2, Size: n}
	half := a.Clone()
	for i := range half.Data {
		half.Data[i] /= 2
	}
	for _, u := range []clustered.Update{{Cluster: 1, Change: a.Data}, {Cluster: 0, Change: b.Data}, {Cluster: 1, Change: half.Data}} {
		if err := mean.Contribute(wire.PeerID{}, u, 1); err != nil {
			return a, err
		}
	}
	all, err := mean.Aggregate()
	if err != nil {
		return a, err
	}
	return tensor.DenseOf(all.Data[n:], a.Shape...), nil
}

// Versions is the two ends of a model that is sent as differences.
type Versions struct {
	from delta.Versions
	to   delta.Copy
}

// Step returns a as it arrives. Every third version is missed.
func (v *Versions) Step(a, _ Model) (Model, error) {
	number, err := v.from.Put(a)
	have, _ := v.to.Version(number)
	if err != nil || number%3 == 0 {
		return a, err
	}
	news, err := v.from.Since(have)
	if err != nil {
		return a, err
	}
	return v.to.Apply(news)
}

// AppendBinary appends the state of both ends.
func (v *Versions) AppendBinary(b []byte) ([]byte, error) { return appendBoth(b, &v.from, &v.to) }

// UnmarshalBinary sets the state of both ends.
func (v *Versions) UnmarshalBinary(b []byte) error { return readBoth(b, &v.from, &v.to) }

// appendBoth appends the states of two components.
func appendBoth(b []byte, both ...runtime.Component) ([]byte, error) {
	for _, c := range both {
		state, err := c.AppendBinary(nil)
		if err != nil {
			return b, err
		}
		b = append(values.AppendScalar(b, int64(len(state))), state...)
	}
	return b, nil
}

// readBoth reads the output of appendBoth.
func readBoth(b []byte, both ...runtime.Component) error {
	f := values.NewFields(b)
	for _, c := range both {
		var n int64
		if values.ReadScalar(f, &n); n < 0 || n > int64(len(b)) {
			return fmt.Errorf("a state of %d bytes in %d", n, len(b))
		}
		state := f.Bytes(int(n))
		if f.Err() != nil {
			return f.Err()
		}
		if err := c.UnmarshalBinary(state); err != nil {
			return err
		}
	}
	return f.End()
}
