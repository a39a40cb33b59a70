// Package program is data-parallel training: workers that have the same network, each
// with digits of its own, and make every step with the mean of their gradients.
package program

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/runtime/component/shard"
	"github.com/bbgen/bbgen/runtime/tensor"
)

//go:generate go tool bbgen . -o ../peer

// What the program is made of.
const (
	Workers = 8
	Steps   = 120
	Batch   = 16 // of each worker
	Tests   = 25 // that each worker judges the network by after a step
)

// Worker is one of those who train.
type Worker struct {
	Model       dsl.Model
	Data, Tests dsl.DataSource
}

// Body is a step. A worker that joins, as it was started again or later, is given the
// others' model and makes the step that they make next.
func (w Worker) Body(g *dsl.Graph) {
	all, lost := g.Peers("worker"), dsl.IfLost(dsl.Repeat)
	rounds := g.Rounds(Steps)
	mine := rounds.Carry("step", g.Const(int64(0)))
	number := g.Enter(mine, all, []dsl.Slot{&w.Model})
	next := g.Add(number, g.Scalar(number, 1))
	rounds.Next(mine, next)
	rounds.Until(g.Equal(next, g.Scalar(next, Steps)))
	step := g.GateDispatch(number)

	x, labels := w.Data.NextBatch(g, dsl.Float32("n", 1, 28, 28), dsl.Int64("n"), dsl.When(step))
	gradients, loss := w.Model.Gradients(g, x, labels)
	mean := g.AllReduce(gradients, all, dsl.Mean, lost, dsl.Port("gradients"))
	applied := w.Model.ApplyGradients(g, mean)
	model := g.AppEmit("model", w.Model.Params(g, dsl.When(applied)))

	tests, digits := w.Tests.NextBatch(g, dsl.Float32("n", 1, 28, 28), dsl.Int64("n"), dsl.When(applied))
	read := g.ArgMax(w.Model.Forward(g, tests, dsl.Float32("n", 10)), 1)
	right := g.ReduceMean(g.Cast(g.Equal(read, digits), tensor.Float32))
	accuracy := g.AppEmit("accuracy", g.AllReduce(right, all, dsl.Mean, lost, dsl.Port("accuracy")))
	told := g.AppEmit("loss", g.AllReduce(loss, all, dsl.Mean, lost, dsl.Port("loss")))
	g.AppEmit("step", g.Gate(next, model, accuracy, told)) // the last that is said of it
}

// Program is workers alone.
func Program() dsl.Program {
	images := []int{1, 28, 28}
	return dsl.Program{Name: "dataparallel", Modules: []dsl.Module{Worker{
		Model: dsl.Model{Bind: dsl.ONNX("../../train/lenet.onnx", dsl.Train{
			Loss:      dsl.Loss{Name: "cross_entropy"},
			Optimizer: dsl.Optimizer{Name: "adamw", Rate: 0.002},
			ClipNorm:  1, // of the mean
		})},
		Data:  dsl.DataSource{Bind: dsl.Go(shard.Source{Shape: images, Classes: 10, Batch: Batch, Peers: Workers})},
		Tests: dsl.DataSource{Bind: dsl.Go(shard.Source{Shape: images, Classes: 10, Batch: Tests, Val: true})},
	}}}
}
