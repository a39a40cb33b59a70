// Package program is data-parallel training: workers have the same network, each with its own digits, and
// make every step with the mean of their gradients.
package program

import (
	"fmt"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/runtime/component/shard"
	"github.com/bbgen/bbgen/runtime/tensor"
)

//go:generate go tool bbgen . -o ../peer

// The parameters of the program.
const (
	Workers = 8
	Steps   = 120
	Batch   = 16 // of each worker
	Buckets = 3  // of gradients, each of which is sent while the backward pass computes the next
	Tests   = 25 // with which each worker evaluates the network after a step
)

// Worker is a peer that trains.
type Worker struct {
	Model       dsl.Model
	Data, Tests dsl.DataSource
}

// Body is one step. A worker that joins receives
// the others' model and makes the same next step.
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
	gradients, loss := w.Model.GradientBuckets(g, x, labels, Buckets)
	for i, bucket := range gradients {
		gradients[i] = g.AllReduce(bucket, all, dsl.Mean, lost, dsl.Port(fmt.Sprint("gradients", i)))
	}
	applied := w.Model.ApplyGradients(g, g.Concat(0, gradients...))
	model := g.AppEmit("model", w.Model.Params(g, dsl.When(applied)))

	tests, digits := w.Tests.NextBatch(g, dsl.Float32("n", 1, 28, 28), dsl.Int64("n"), dsl.When(applied))
	read := g.ArgMax(w.Model.Forward(g, tests, dsl.Float32("n", 10)), 1)
	right := g.ReduceMean(g.Cast(g.Equal(read, digits), tensor.Float32))
	accuracy := g.AppEmit("accuracy", g.AllReduce(right, all, dsl.Mean, lost, dsl.Port("accuracy")))
	told := g.AppEmit("loss", g.AllReduce(loss, all, dsl.Mean, lost, dsl.Port("loss")))
	g.AppEmit("step", g.Gate(next, model, accuracy, told)) // the last report of the step
}

// Program returns the workers.
func Program() dsl.Program {
	images := []int{1, 28, 28}
	return dsl.Program{Name: "dataparallel", Modules: []dsl.Module{Worker{
		Model: dsl.Model{Bind: dsl.ONNX("../../train/lenet.onnx", dsl.Train{
			Loss:      dsl.Loss{Name: "cross_entropy"},
			Optimizer: dsl.Optimizer{Name: "adamw", Rate: 0.002},
			ClipNorm:  1, // of the mean gradient
		})},
		Data:  dsl.DataSource{Bind: dsl.Go(shard.Source{Shape: images, Classes: 10, Batch: Batch, Peers: Workers})},
		Tests: dsl.DataSource{Bind: dsl.Go(shard.Source{Shape: images, Classes: 10, Batch: Tests, Val: true})},
	}}}
}
