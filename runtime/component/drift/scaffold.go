package drift

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Scaffold is the client of SCAFFOLD: S. P. Karimireddy and others, "SCAFFOLD: Stochastic
// Controlled Averaging for Federated Learning", 2020, with option II for the control
// variates. The server's control variate is a value of the program, which begins as zeros
// and is carried from round to round:
//
//	mean, count := s.Controls.AggregateWeighted(g, s.Controls.Contribute(g, change, dsl.Value{}), dsl.Quorum(Clients))
//	r.Next(control, g.Add(control, g.Mul(mean, g.Mul(count, g.Scalar(count, 1.0/Clients)))))
//
// The server's control variate is the mean of those of all clients as long as it includes each change that they
// send. A change that comes too late for its round is lost.
type Scaffold struct {
	Rate float64 // of the client's steps
	memory
}

// Open checks the configuration.
func (s *Scaffold) Open(runtime.Env) error { return checkPositive("drift.Scaffold: Rate", s.Rate) }

// Correct returns g - cᵢ + c for gradients g, the server's control variate c and the client's own. The result
// is valid until the next call.
func (s *Scaffold) Correct(gradients, control tensor.Dense[float32]) (tensor.Dense[float32], error) {
	if err := s.begin(gradients.Shape); err != nil {
		return s.out, err
	}
	err := each(&s.out, func(i int) float64 {
		return float64(gradients.Data[i]) - float64(s.own.Data[i]) + float64(control.Data[i])
	}, gradients, control)
	return s.out, err
}

// Renew returns the change of the client's control variate after so many steps that have led from one model to
// another: (x-y)/(steps·Rate) - c. The result is valid until the next call.
func (s *Scaffold) Renew(from, to, control tensor.Dense[float32], steps int64) (tensor.Dense[float32], error) {
	if steps < 1 {
		return s.out, fmt.Errorf("a round of %d steps, want 1 at least", steps)
	}
	if err := s.begin(from.Shape); err != nil {
		return s.out, err
	}
	part := 1 / (float64(steps) * s.Rate)
	change := func(i int) float64 {
		return (float64(from.Data[i])-float64(to.Data[i]))*part - float64(control.Data[i])
	}
	if err := each(&s.out, change, from, to, control); err != nil {
		return s.out, err
	}
	return s.out, s.renew(func(i int) float64 { return float64(s.own.Data[i]) + float64(s.out.Data[i]) }, s.own, s.out)
}
