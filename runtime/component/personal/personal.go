// Package personal keeps a part of the model on each client (FedPer, FedRep): M. G. Arivazhagan and others, "Federated
// Learning with Personalization Layers", 2019, and L. Collins and others, "Exploiting Shared Representations for
// Personalized Federated Learning", 2021. Clients share the layers that extract features, and each has layers of its own
// above them.
//
//	own := c.Model.Params(g)                                                     // with the local layers
//	c.Model.LoadParameters(g, c.Local.Call(g, "Merge", dsl.Float32(dsl.Any), own, shared))
//	… train …
//	g.NetOut("shared", server, c.Local.Call(g, "Shared", dsl.Float32(dsl.Any), c.Model.Params(g)))
//
// Ditto (T. Li and others, 2021), where each client has a whole model of its own beside the common one, needs no
// component of its own: bind the network to a second slot, and correct its gradients by package drift's Prox.
package personal

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// Range is elements of a model: those from From until, and without, To. The file models.json that bbgen writes beside
// the peers lists the weights of each model in the order of its elements.
type Range struct{ From, To int }

// Layers divides a model into the elements that stay on the client and those that clients share.
type Layers struct {
	Local []Range // in increasing order
}

// Open checks the configuration.
func (l *Layers) Open(runtime.Env) error {
	at := 0
	for _, r := range l.Local {
		if r.From < at || r.To <= r.From {
			return fmt.Errorf("personal.Layers: Local is %v, want ranges in increasing order", l.Local)
		}
		at = r.To
	}
	if len(l.Local) == 0 {
		return errors.New("personal.Layers: Local is empty: which elements stay on the client?")
	}
	return nil
}

// shared returns the ranges of n elements that are not local, and how many elements these are.
func (l *Layers) shared(n int) (list []Range, size int, err error) {
	at := 0
	for _, r := range append(slices.Clone(l.Local), Range{n, n}) {
		if r.To > n {
			return nil, 0, fmt.Errorf("personal.Layers: the model has %d elements, and Local is %v", n, l.Local)
		}
		if r.From > at {
			list = append(list, Range{at, r.From})
			size += r.From - at
		}
		at = r.To
	}
	return list, size, nil
}

// Shared returns the shared elements of a model.
func (l *Layers) Shared(model tensor.Dense[float32]) (tensor.Dense[float32], error) {
	list, size, err := l.shared(len(model.Data))
	out := make([]float32, 0, size)
	for _, r := range list {
		out = append(out, model.Data[r.From:r.To]...)
	}
	return tensor.DenseOf(out, len(out)), err
}

// Merge returns a model with these shared elements, and the local ones of another model.
func (l *Layers) Merge(own, shared tensor.Dense[float32]) (tensor.Dense[float32], error) {
	list, size, err := l.shared(len(own.Data))
	if err == nil && size != len(shared.Data) {
		err = fmt.Errorf("personal.Layers: %d shared elements, want %d of %d", len(shared.Data), size, len(own.Data))
	}
	if err != nil {
		return own, err
	}
	out, at := own.Clone(), 0
	for _, r := range list {
		at += copy(out.Data[r.From:r.To], shared.Data[at:])
	}
	return out, nil
}

// AppendBinary appends nothing: there is no state.
func (l *Layers) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary reads the output of AppendBinary.
func (l *Layers) UnmarshalBinary(b []byte) error { return values.NewFields(b).End() }
