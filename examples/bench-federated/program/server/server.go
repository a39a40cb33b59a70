// Package server is the server of example bench-federated, whose strategy and rule are
// chosen by name when it starts. A program that wants one binds its component.
package server

import (
	"context"

	"github.com/bbgen/bbgen/examples/bench-federated/program/task"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/drift"
	"github.com/bbgen/bbgen/runtime/component/fedopt"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Server makes models of what clients have sent, and judges them.
type Server struct {
	Task     task.Config
	Strategy string  // fedavgm, fedadagrad, fedadam, fedyogi, feddyn or fednova; any other: the mean
	Alpha    float64 // of FedDyn

	judge     task.Judge
	optimizer optimizer
	next      vector
}

type vector = tensor.Dense[float32]

// optimizer is what the server does with a mean.
type optimizer interface {
	runtime.Component
	Step(model, mean vector) (vector, error)
}

// Open chooses the strategy.
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

// dyn is a server that hears of all its clients in each round.
type dyn struct{ drift.DynServer }

func (d *dyn) Step(model, mean vector) (vector, error) {
	return d.DynServer.Step(model, mean, float32(d.Clients))
}

// plain goes where the mean is.
type plain struct{}

func (plain) Step(_, mean vector) (vector, error)   { return mean, nil }
func (plain) AppendBinary(b []byte) ([]byte, error) { return b, nil }
func (plain) UnmarshalBinary(b []byte) error        { return runtime.NewFields(b).End() }

// First is what the model begins with, and the control variate.
func (s *Server) First() (model, control vector, err error) {
	n := s.judge.Size()
	model, control = tensor.DenseOf(make([]float32, n), n), tensor.DenseOf(make([]float32, n), n)
	for i := range model.Data {
		model.Data[i] = s.Task.Local().First
	}
	return model, control, nil
}

// Step returns the model after a round that began with one, of the mean change and the mean
// number of steps.
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

// Judge says how good a model is.
func (s *Server) Judge(_ context.Context, model vector) (loss, accuracy float32, err error) {
	l, a := s.judge.Judge(model.Data)
	return float32(l), float32(a), nil
}

// AppendBinary appends what the strategy remembers.
func (s *Server) AppendBinary(b []byte) ([]byte, error) { return s.optimizer.AppendBinary(b) }

// UnmarshalBinary sets what AppendBinary has written.
func (s *Server) UnmarshalBinary(b []byte) error { return s.optimizer.UnmarshalBinary(b) }
