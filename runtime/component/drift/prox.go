package drift

import (
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// Prox is FedProx: T. Li and others, "Federated Optimization in Heterogeneous Networks",
// 2020. Clients may take different numbers of steps.
type Prox struct {
	Mu float64 // the weight of the distance to the server's model

	out tensor.Dense[float32]
}

// Open checks the configuration.
func (p *Prox) Open(runtime.Env) error { return checkPositive("drift.Prox: Mu", p.Mu) }

// Correct returns g + Mu·(y-x) for the gradients g of a model y that began as x. The result is valid until the
// next call.
func (p *Prox) Correct(gradients, model, from tensor.Dense[float32]) (tensor.Dense[float32], error) {
	err := each(&p.out, func(i int) float64 {
		return float64(gradients.Data[i]) + p.Mu*(float64(model.Data[i])-float64(from.Data[i]))
	}, gradients, model, from)
	return p.out, err
}

// AppendBinary appends nothing: there is no state.
func (p *Prox) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary reads the output of AppendBinary.
func (p *Prox) UnmarshalBinary(b []byte) error { return values.NewFields(b).End() }
