// Package server contains the server of example bench-federated. Its strategy and rule are selected by name
// at the start. A program with one of them would bind that component instead.
package server

import (
	"context"

	"github.com/bbgen/bbgen/examples/bench-federated/program/task"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/drift"
	"github.com/bbgen/bbgen/runtime/component/fedopt"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// Server computes models from the clients' changes, and evaluates them.
type Server struct {
	Task     task.Config
	Strategy string  // fedavgm, fedadagrad, fedadam, fedyogi, feddyn or fednova; any other: the mean
	Alpha    float64 // of FedDyn

	judge     task.Judge
	optimizer optimizer
	next      vector
}

type vector = tensor.Dense[float32]

// optimizer computes the next model from a mean change.
type optimizer interface {
	runtime.Component
	Step(model, mean vector) (vector, error)
}

// Open creates the strategy.
func (s *Server) Open(env runtime.Env) (err error) {
	switch s.Strategy {
	case "fedavgm":
		s.optimizer = &fedopt.Momentum{}
	case "fedadagrad":
		s.optimizer = &fedopt.Adagrad{Rate: 0.05}
	case "fedadam":
		s.optimizer = &fedopt.Adam{Rate: 0.05, Tau: 0.01}
	case "fedyogi":
		s.optimizer = &fedopt.Yogi{Rate: 0.05, Tau: 0.01}
	case "feddyn":
		s.optimizer = &dyn{drift.DynServer{Alpha: s.Alpha, Clients: s.Task.Clients}}
	default:
		s.optimizer = plain{}
	}
	s.judge, err = s.Task.Judge(env)
	return err
}

// dyn is a server that receives changes of all its clients in each round.
type dyn struct{ drift.DynServer }

func (d *dyn) Step(model, mean vector) (vector, error) {
	return d.DynServer.Step(model, mean, float32(d.Clients))
}

// plain adds the mean change.
type plain struct{}

func (plain) Step(_, mean vector) (vector, error)   { return mean, nil }
func (plain) AppendBinary(b []byte) ([]byte, error) { return b, nil }
func (plain) UnmarshalBinary(b []byte) error        { return values.NewFields(b).End() }

// First returns the initial model and control variate.
func (s *Server) First() (model, control vector, err error) {
	n := s.judge.Size()
	model, control = tensor.DenseOf(make([]float32, n), n), tensor.DenseOf(make([]float32, n), n)
	for i := range model.Data {
		model.Data[i] = s.Task.Local().First
	}
	return model, control, nil
}

// Step returns the next model, from the
// mean change and the mean number of steps.
func (s *Server) Step(model, change, steps vector) (vector, error) {
	scale := float32(1)
	if s.Strategy == "fednova" {
		scale = steps.Data[0]
	}
	s.next.Set(model)
	for i, v := range change.Data {
		s.next.Data[i] += scale * v
	}
	return s.optimizer.Step(model, s.next)
}

// Judge evaluates a model.
func (s *Server) Judge(_ context.Context, model vector) (loss, accuracy float32, err error) {
	l, a := s.judge.Judge(model.Data)
	return float32(l), float32(a), nil
}

// AppendBinary appends the state of the strategy.
func (s *Server) AppendBinary(b []byte) ([]byte, error) { return s.optimizer.AppendBinary(b) }

// UnmarshalBinary restores the state written by AppendBinary.
func (s *Server) UnmarshalBinary(b []byte) error { return s.optimizer.UnmarshalBinary(b) }
