package dsl

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Model is a slot for a trainable model: a Go type, or an ONNX graph. If the model has several inputs, pass
// them as a [Graph.Bundle]; the same holds for several targets. Several outputs, and the gradients of several
// inputs, are bundles, too.
type Model struct {
	Name string
	Bind Binding
	at   *slot
}

func (s *Model) parts() (string, *string, *Binding, **slot) { return "model", &s.Name, &s.Bind, &s.at }

// Forward returns the output of the model for x. A [Type] for each output may follow.
func (s Model) Forward(g *Graph, x Value, opts ...CallOption) Value {
	in := g.parts(x)
	out := g.call(&s, peer.ModelForward, numbered("y", types(opts)), nil, opts, in...)
	if !out[0].bad {
		g.fn.forward(g.slotOf(&s), in, out[0])
	}
	return g.joined(out)
}

// Backward returns the gradient of the last Forward's input, given the gradient dy of its output. An author's
// component accumulates the gradients of its parameters. An ONNX graph takes a step with its optimizer: it
// recomputes the last Forward before this call in the module, from the same input and with the current
// parameters, so any number of executions may lie between the two. That Forward computes in training mode,
// with dropout and the statistics of the batch. An input that is not a tensor of floats has no gradient; if
// no input has one, the result is a trigger.
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

// TrainStep trains one step with a batch and returns the loss.
func (s Model) TrainStep(g *Graph, batch, targets Value, opts ...CallOption) Value {
	return g.call1(&s, peer.ModelTrainStep, "loss", nil, opts, slices.Concat(g.parts(batch), g.parts(targets))...)
}

// TrainStepGradient is like [Model.TrainStep], and also returns the gradient of the loss with respect to the
// batch, computed before the step. The peer that sent the batch needs it for its Backward.
func (s Model) TrainStepGradient(g *Graph, batch, targets Value, opts ...CallOption) (loss, dx Value) {
	in := g.parts(batch)
	names := append([]string{"loss"}, numbered("dx", floats(in))...)
	out := g.call(&s, peer.ModelTrainStepGradient, names, attrs("inputs", len(in)), opts, slices.Concat(in, g.parts(targets))...)
	if out[0].bad {
		return out[0], out[0]
	}
	return out[0], g.joined(out[1:])
}

// Gradients returns the gradients of the parameters for a batch and its targets, concatenated in the order of
// [Model.Params], and the loss. The parameters do not change until [Model.ApplyGradients].
//
//	gradients, loss := w.Model.Gradients(g, x, y)
//	mean := g.AllReduce(gradients, g.Peers("worker"), dsl.Mean)
//	w.Model.ApplyGradients(g, mean)
func (s Model) Gradients(g *Graph, batch, targets Value, opts ...CallOption) (gradients, loss Value) {
	out := g.call(&s, peer.ModelGradients, []string{"gradients", "loss"}, nil, opts, slices.Concat(g.parts(batch), g.parts(targets))...)
	return out[0], out[len(out)-1]
}

// GradientBuckets is [Model.Gradients] in equal parts, each a value of its own. Concatenated they are the
// gradients. The last part, which belongs to the last parameters, is usually complete first: it can be sent while
// the backward pass still computes the parts before it. The parameters must not change until the first part is
// complete.
//
//	parts, loss := w.Model.GradientBuckets(g, x, y, 4)
//	for i, part := range parts {
//		parts[i] = g.AllReduce(part, g.Peers("worker"), dsl.Mean)
//	}
//	w.Model.ApplyGradients(g, g.Concat(0, parts...))
func (s Model) GradientBuckets(g *Graph, batch, targets Value, buckets int, opts ...CallOption) (gradients []Value, loss Value) {
	if buckets < 2 {
		bad := g.r.fail("GradientBuckets: %d buckets, want 2 or more; Gradients returns all in one", buckets)
		return []Value{bad}, bad
	}
	in := slices.Concat(g.parts(batch), g.parts(targets))
	out := g.call(&s, peer.ModelBeginGradients, []string{"gradients", "pass"}, attrs("buckets", buckets), opts, in...)
	gradients = make([]Value, buckets)
	gradients[buckets-1] = out[0]
	in = append(in, out[len(out)-1])
	for i := buckets - 2; i >= 0; i-- {
		out = g.call(&s, peer.ModelNextGradients, []string{"gradients", "loss"}, attrs("bucket", i, "buckets", buckets), nil, in...)
		gradients[i], loss = out[0], out[len(out)-1]
	}
	return gradients, loss
}

// ApplyGradients updates the parameters with gradients from [Model.Gradients]. It applies the clipping,
// accumulation and optimizer that [Train] configures.
func (s Model) ApplyGradients(g *Graph, gradients Value, opts ...CallOption) Value {
	return g.call1(&s, peer.ModelApplyGradients, "applied", nil, opts, gradients)
}

// TrainSteps trains the given number of steps with batches of a data source. It returns the last loss.
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

// ApplyDelta adds delta to the parameters.
func (s Model) ApplyDelta(g *Graph, delta Value, opts ...CallOption) Value {
	return g.call1(&s, peer.ModelApplyDelta, "applied", nil, opts, delta)
}

// LoadParameters sets the parameters.
func (s Model) LoadParameters(g *Graph, params Value, opts ...CallOption) Value {
	return g.call1(&s, peer.ModelLoadParameters, "loaded", nil, opts, params)
}

// Params returns the parameters, concatenated.
func (s Model) Params(g *Graph, opts ...CallOption) Value {
	return g.call1(&s, peer.ModelParams, "params", nil, opts)
}

// forward is the last Forward of a slot in a module.
type forward struct {
	in    []Value
	out   Value // the first output
	drawn Value // the number of its random draws, for Backward
}

func (fn *function) forward(s *slot, in []Value, out Value) {
	if fn.forwards == nil {
		fn.forwards = map[*slot]*forward{}
	}
	fn.forwards[s] = &forward{in: in, out: out}
}

// training switches the Forward to training mode and returns the number of its random draws.
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

// parts returns the values of a bundle, or the value itself if it is no bundle.
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

// joined returns a bundle of several values, or the only value.
func (g *Graph) joined(vs []Value) Value {
	if len(vs) == 1 || vs[0].bad {
		return vs[0]
	}
	return g.Bundle(vs...)
}

// types returns the number of outputs for which the author gave a type.
func types(opts []CallOption) int {
	var c callOptions
	for _, o := range opts {
		if t, ok := o.(Type); ok {
			t.option(&c)
		}
	}
	return len(c.types)
}

// floats returns the number of values that have a gradient.
func floats(vs []Value) int {
	n := 0
	for _, v := range vs {
		if v.value != nil && !v.bad && peer.HasGradient(v.ir.Type) {
			n++
		}
	}
	return n
}

// numbered returns the names of n outputs, at least one.
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
