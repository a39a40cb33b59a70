// Package program is DiLoCo, streamed by parts: workers train a network alone, and in turn average the changes of
// one part of it after the other, while they train on.
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
	Workers = 4
	Rounds  = 12
	Parts   = 4  // of the network, each of which makes one joint step in a round
	Steps   = 20 // of each worker in a round
	Batch   = 16 // of each step
	Tests   = 50 // with which each worker evaluates the network after a round

	Rate     = 0.7 // of the joint steps
	Momentum = 0.9
	Own      = 0.5 // of a part's parameters after a joint step are the worker's own, the others are those of all

	parameters = 61706 // of the network
)

// Worker is a peer that trains.
type Worker struct {
	Model       dsl.Model
	Data, Tests dsl.DataSource
}

// part is a part of the network that all workers have, the same on each.
type part struct{ anchor, velocity dsl.Value }

// Body is one round. In each of its turns the workers train for a few steps. Meanwhile they average the change of the
// part whose turn was before. So they have the time of these steps for that, and never send more than one part at once.
func (w Worker) Body(g *dsl.Graph) {
	r := g.Rounds(Rounds)
	all, lost := g.Peers("worker"), dsl.IfLost(dsl.Repeat)
	var parts, begun [Parts]part
	for i, x := range split(g, w.Model.Params(g, dsl.Float32(parameters))) {
		parts[i] = part{r.Carry(fmt.Sprint("anchor", i), x), r.Carry(fmt.Sprint("velocity", i), g.Sub(x, x))}
	}
	begun = parts
	none := split(g, w.Model.Params(g, dsl.Float32(parameters)))[Parts-1]
	change := r.Carry("change", g.Sub(none, none))
	before, ready, mine := change, change, []dsl.Value(nil)
	for i := range parts {
		sent := (i + Parts - 1) % Parts
		mean := g.AllReduce(change, all, dsl.Mean, lost, dsl.By(dsl.Ring), dsl.Port(fmt.Sprint("change", sent))) // the fewest bytes: there is time
		loss := w.Model.TrainSteps(g, w.Data, Steps/Parts, dsl.When(ready))
		mine = split(g, w.Model.Params(g, dsl.Float32(parameters), dsl.When(g.GateDispatch(loss))))
		parts[sent] = parts[sent].step(g, mean)
		mine[sent] = mix(g, mine[sent], parts[sent].anchor)
		ready = w.Model.LoadParameters(g, g.Concat(0, mine...))
		change = g.Sub(parts[i].anchor, mine[i])
	}
	restored := w.judge(g, parts, mine, all, lost)
	for i, p := range parts {
		r.Next(begun[i].anchor, p.anchor)
		r.Next(begun[i].velocity, p.velocity)
	}
	r.Next(before, g.Gate(change, restored))
}

// split divides parameters into parts.
func split(g *dsl.Graph, x dsl.Value) []dsl.Value {
	var sizes []int
	for i := range Parts {
		sizes = append(sizes, parameters*(i+1)/Parts-parameters*i/Parts)
	}
	return g.Split(x, 0, sizes...)
}

// step returns the part after a joint step along the mean change, with Nesterov's momentum, as in PyTorch.
func (p part) step(g *dsl.Graph, mean dsl.Value) part {
	faster := g.Add(g.Mul(p.velocity, g.Scalar(mean, Momentum)), mean)
	ahead := g.Add(mean, g.Mul(faster, g.Scalar(mean, Momentum)))
	return part{g.Sub(p.anchor, g.Mul(ahead, g.Scalar(mean, Rate))), faster}
}

// mix returns a mean of a worker's own parameters, which have moved on, and those of all.
func mix(g *dsl.Graph, own, all dsl.Value) dsl.Value {
	return g.Add(g.Mul(own, g.Scalar(own, Own)), g.Mul(all, g.Scalar(all, 1-Own)))
}

// judge evaluates the network that all workers have, and then restores the worker's own.
func (w Worker) judge(g *dsl.Graph, parts [Parts]part, mine []dsl.Value, all dsl.Value, lost dsl.CollectiveOption) (restored dsl.Value) {
	var anchors []dsl.Value
	for _, p := range parts {
		anchors = append(anchors, p.anchor)
	}
	model := g.Concat(0, anchors...)
	there := w.Model.LoadParameters(g, model)
	tests, digits := w.Tests.NextBatch(g, dsl.Float32("n", 1, 28, 28), dsl.Int64("n"), dsl.When(there))
	read := g.ArgMax(w.Model.Forward(g, tests, dsl.Float32("n", 10)), 1)
	right := g.ReduceMean(g.Cast(g.Equal(read, digits), tensor.Float32))
	g.AppEmit("model", model)
	g.AppEmit("accuracy", g.AllReduce(right, all, dsl.Mean, lost, dsl.Port("accuracy")))
	return w.Model.LoadParameters(g, g.Concat(0, mine...), dsl.When(g.GateDispatch(right)))
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
