package dsl

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Model is a slot for what computes, and learns: a Go type, or an ONNX graph. A model
// that has several inputs is given a [Graph.Bundle] of them, and so are targets;
// several outputs, and the gradients of several inputs, are a bundle, too.
type Model struct {
	Name string
	Bind Binding
	at   *slot
}

func (s *Model) parts() (string, *string, *Binding, **slot) { return "model", &s.Name, &s.Bind, &s.at }

// Forward is what the model makes of x. A [Type] for each output may follow.
func (s Model) Forward(g *Graph, x Value, opts ...CallOption) Value {
	in := g.parts(x)
	out := g.call(&s, peer.ModelForward, numbered("y", types(opts)), nil, opts, in...)
	if !out[0].bad {
		g.fn.forward(g.slotOf(&s), in, out[0])
	}
	return g.joined(out)
}

// Backward returns the gradient of the last Forward's input, for that of its output. A
// component of the author's keeps the gradients of its parameters. An ONNX graph
// makes a step with its optimizer: it computes the last Forward before this in the
// module again, from the same input and with the parameters of now, so that any
// number of executions may stand between the two. That Forward computes as training
// does, with dropout and the statistics of the batch. If an input is no tensor of
// floats, it has no gradient; if none is, the result is a trigger.
func (s Model) Backward(g *Graph, dy Value, opts ...CallOption) Value {
	in := g.parts(dy)
	at := g.slotOf(&s)
	if at == nil || at.bind.table.Model == "" {
		return g.call1(&s, peer.ModelBackward, "dx", nil, opts, in...)
	}
	f := g.fn.forwards[at]
	if f == nil {
		return g.r.fail("Backward: there is no Forward of slot %s before it in this module, which an ONNX graph computes again", at.name)
	}
	names := numbered("dx", floats(f.in))
	return g.joined(g.call(&s, peer.ModelBackward, names, attrs("outputs", len(in)), opts, slices.Concat(in, f.in, []Value{f.training(g)})...))
}

// ComputeLoss returns the loss of x for targets.
func (s Model) ComputeLoss(g *Graph, x, targets Value, opts ...CallOption) Value {
	return g.call1(&s, peer.ModelComputeLoss, "loss", nil, opts, slices.Concat(g.parts(x), g.parts(targets))...)
}

// TrainStep returns one step of training with a batch; it returns the loss.
func (s Model) TrainStep(g *Graph, batch, targets Value, opts ...CallOption) Value {
	return g.call1(&s, peer.ModelTrainStep, "loss", nil, opts, slices.Concat(g.parts(batch), g.parts(targets))...)
}

// TrainStepGradient is TrainStep, and the gradient of the loss by the batch, as it
// was before the step: what the peer that the batch has come from wants for its
// Backward.
func (s Model) TrainStepGradient(g *Graph, batch, targets Value, opts ...CallOption) (loss, dx Value) {
	in := g.parts(batch)
	names := append([]string{"loss"}, numbered("dx", floats(in))...)
	out := g.call(&s, peer.ModelTrainStepGradient, names, attrs("inputs", len(in)), opts, slices.Concat(in, g.parts(targets))...)
	if out[0].bad {
		return out[0], out[0]
	}
	return out[0], g.joined(out[1:])
}

// Gradients returns the gradients of the parameters for a batch and its targets, one behind
// the other as [Model.Params] has them, and the loss. The parameters stay as they are
// until [Model.ApplyGradients].
//
//	gradients, loss := w.Model.Gradients(g, x, y)
//	mean := g.AllReduce(gradients, g.Peers("worker"), dsl.Mean)
//	w.Model.ApplyGradients(g, mean)
func (s Model) Gradients(g *Graph, batch, targets Value, opts ...CallOption) (gradients, loss Value) {
	out := g.call(&s, peer.ModelGradients, []string{"gradients", "loss"}, nil, opts, slices.Concat(g.parts(batch), g.parts(targets))...)
	return out[0], out[len(out)-1]
}

// ApplyGradients makes an update of the parameters with gradients as [Model.Gradients]
// gives them: what [Train] says of clipping, accumulation and the optimizer is done
// here.
func (s Model) ApplyGradients(g *Graph, gradients Value, opts ...CallOption) Value {
	return g.call1(&s, peer.ModelApplyGradients, "applied", nil, opts, gradients)
}

// TrainSteps is as many steps of training, with batches of a data source; it
// returns the last loss.
func (s Model) TrainSteps(g *Graph, data DataSource, steps int, opts ...CallOption) Value {
	d := g.slotOf(&data)
	if d == nil {
		return g.bad(1)[0]
	}
	if steps < 1 {
		return g.r.fail("TrainSteps: %d steps, want 1 or more", steps)
	}
	out := g.call1(&s, peer.ModelTrainSteps, "loss", attrs("data", d.name, "steps", steps), opts)
	if !out.bad {
		d.usedBy(out.class, g.r.at())
	}
	return out
}

// ApplyDelta adds to the parameters.
func (s Model) ApplyDelta(g *Graph, delta Value, opts ...CallOption) Value {
	return g.call1(&s, peer.ModelApplyDelta, "applied", nil, opts, delta)
}

// LoadParameters sets the parameters.
func (s Model) LoadParameters(g *Graph, params Value, opts ...CallOption) Value {
	return g.call1(&s, peer.ModelLoadParameters, "loaded", nil, opts, params)
}

// Params returns the parameters, one behind the other.
func (s Model) Params(g *Graph, opts ...CallOption) Value {
	return g.call1(&s, peer.ModelParams, "params", nil, opts)
}

// forward is the last Forward of a slot in a module.
type forward struct {
	in    []Value
	out   Value // the first
	drawn Value // what it has drawn, for Backward
}

func (fn *function) forward(s *slot, in []Value, out Value) {
	if fn.forwards == nil {
		fn.forwards = map[*slot]*forward{}
	}
	fn.forwards[s] = &forward{in: in, out: out}
}

// training has the forward pass compute as training does, and is the number of what
// it draws.
func (f *forward) training(g *Graph) Value {
	if f.drawn.value != nil {
		return f.drawn
	}
	n := f.out.ir.Def
	n.Op = peer.ModelForwardTrain.Name
	v := &ir.Value{Name: g.fresh("drawn"), Type: ir.TensorOf(tensor.Int64), Def: n}
	n.Out = append(n.Out, v)
	f.drawn = Value{&value{ir: v, fn: f.out.fn, class: f.out.class}}
	return f.drawn
}

// parts returns the values of a bundle, or the value if it is none.
func (g *Graph) parts(v Value) []Value {
	v = g.arrived(v)
	if v.value == nil || v.bad {
		return []Value{v}
	}
	if _, err := peer.BundleParts(v.ir.Type); err != nil {
		return []Value{v}
	}
	return g.Unbundle(v)
}

// joined returns the bundle of several values, or the one value.
func (g *Graph) joined(vs []Value) Value {
	if len(vs) == 1 || vs[0].bad {
		return vs[0]
	}
	return g.Bundle(vs...)
}

// types is for how many outputs the author has said a type.
func types(opts []CallOption) int {
	var c callOptions
	for _, o := range opts {
		if t, ok := o.(Type); ok {
			t.option(&c)
		}
	}
	return len(c.types)
}

// floats returns how many values have a gradient.
func floats(vs []Value) int {
	n := 0
	for _, v := range vs {
		if v.value != nil && !v.bad && peer.HasGradient(v.ir.Type) {
			n++
		}
	}
	return n
}

// numbered returns the names of n outputs, of one at least.
func numbered(name string, n int) []string {
	if n < 2 {
		return []string{name}
	}
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s%d", name, i)
	}
	return out
}
