// Package program is DiLoCo: workers train a network alone for many steps, and then make one joint step, with
// momentum, along their mean change.
package program

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/runtime/component/shard"
	"github.com/bbgen/bbgen/runtime/tensor"
)

//go:generate go tool bbgen . -o ../peer

// The parameters of the program.
const (
	Workers = 4
	Rounds  = 10
	Steps   = 20 // of each worker in a round
	Batch   = 16 // of each step
	Tests   = 50 // with which each worker evaluates the network after a round

	Rate     = 0.7 // of the joint steps
	Momentum = 0.9
)

// Worker is a peer that trains.
type Worker struct {
	Model       dsl.Model
	Data, Tests dsl.DataSource
}

// Body is one round. Anchor is the model of all workers when it begins.
func (w Worker) Body(g *dsl.Graph) {
	r := g.Rounds(Rounds)
	first := w.Model.Params(g)
	anchor := r.Carry("anchor", first)
	velocity := r.Carry("velocity", g.Sub(first, first))
	all, lost := g.Peers("worker"), dsl.IfLost(dsl.Repeat)

	loaded := w.Model.LoadParameters(g, anchor)
	loss := w.Model.TrainSteps(g, w.Data, Steps, dsl.When(loaded))
	change := g.Sub(anchor, w.Model.Params(g, dsl.When(g.GateDispatch(loss))))
	mean := g.AllReduce(change, all, dsl.Mean, lost, dsl.Port("change"))

	// Nesterov's momentum, as in PyTorch.
	faster := g.Add(g.Mul(velocity, g.Scalar(velocity, Momentum)), mean)
	ahead := g.Add(mean, g.Mul(faster, g.Scalar(faster, Momentum)))
	next := g.Sub(anchor, g.Mul(ahead, g.Scalar(ahead, Rate)))
	r.Next(anchor, next)
	r.Next(velocity, faster)

	there := w.Model.LoadParameters(g, next)
	tests, digits := w.Tests.NextBatch(g, dsl.Float32("n", 1, 28, 28), dsl.Int64("n"), dsl.When(there))
	read := g.ArgMax(w.Model.Forward(g, tests, dsl.Float32("n", 10)), 1)
	right := g.ReduceMean(g.Cast(g.Equal(read, digits), tensor.Float32))
	g.AppEmit("model", next)
	g.AppEmit("accuracy", g.AllReduce(right, all, dsl.Mean, lost, dsl.Port("accuracy")))
}

// Program returns the workers.
func Program() dsl.Program {
	images := []int{1, 28, 28}
	return dsl.Program{Name: "diloco", Modules: []dsl.Module{Worker{
		Model: dsl.Model{Bind: dsl.ONNX("../../train/lenet.onnx", dsl.Train{
			Loss:      dsl.Loss{Name: "cross_entropy"},
			Optimizer: dsl.Optimizer{Name: "adamw", Rate: 0.002},
		})},
		Data:  dsl.DataSource{Bind: dsl.Go(shard.Source{Shape: images, Classes: 10, Batch: Batch, Peers: Workers})},
		Tests: dsl.DataSource{Bind: dsl.Go(shard.Source{Shape: images, Classes: 10, Batch: Tests, Val: true})},
	}}}
}
