package training

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The optimizers of training graphs: a node changes one parameter, and what the
// optimizer remembers of it, in place. The outputs are the parameter and the slots
// after the step.

// The inputs of an optimizer.
const (
	stepParameter = iota
	stepGradient
	stepRate   // the learning rate, one float32
	stepNumber // the number of the step, one int64, 1 for the first
	stepFactor // a factor of the gradient, one float32, or nothing for 1; the step is skipped if it is no number
	stepSlots  // the first of the slots
)

// stepUpdates maps each output of an optimizer to its input.
var stepUpdates = []int{stepParameter, stepSlots, stepSlots + 1, stepSlots + 2}

// perElement returns an optimizer with at most max slots that updates each element by itself, by one kernel.
func perElement(kernel string, max int) *op.Op {
	o := stepper(kernel, max, stepLower(kernel, max))
	o.PerElement = true
	return o
}

// stepper returns an optimizer with at most max slots.
func stepper(name string, max int, lower func(l *op.Lowering) error) *op.Op {
	return &op.Op{
		Name:    name,
		Domain:  op.Own,
		Since:   []int{1},
		Attrs:   stepAttrs,
		Inputs:  stepInputs(max),
		Outputs: stepOutputs(max),
		Infer:   inferStep,
		Lower:   lower,
		Updates: stepUpdates,
		Stops:   op.StopUpdates,
	}
}

// stepAttrs are the hyperparameters of all optimizers; unused ones are 0.
var stepAttrs = []op.Attr{
	{Name: "beta1", Kind: op.Float, Default: 0.0},
	{Name: "beta2", Kind: op.Float, Default: 0.0},
	{Name: "dampening", Kind: op.Float, Default: 0.0},
	{Name: "decay", Kind: op.Float, Default: 0.0},
	{Name: "epsilon", Kind: op.Float, Default: 0.0},
	{Name: "factor", Kind: op.Float, Default: 1.0},
	{Name: "maximize", Kind: op.Int, Default: 0},
	{Name: "momentum", Kind: op.Float, Default: 0.0},
	{Name: "nesterov", Kind: op.Int, Default: 0},
	{Name: "rate_decay", Kind: op.Float, Default: 0.0},
}

func stepInputs(slots int) []op.Port {
	in := []op.Port{
		stepParameter: {Name: "parameter", Types: elem.Floats},
		stepGradient:  {Name: "gradient", Like: "parameter"},
		stepRate:      {Name: "rate", Types: elem.Float32s},
		stepNumber:    {Name: "step", Types: elem.Int64s},
		stepFactor:    {Name: "factor", Types: elem.Float32s, Optional: true},
	}
	return append(in, stepOutputs(slots)[1:]...)
}

func stepOutputs(slots int) []op.Port {
	out := []op.Port{{Name: "parameter", Types: elem.Floats}}
	for i := range slots {
		out = append(out, op.Port{Name: fmt.Sprint("slot", i), Like: "parameter", Optional: true})
	}
	return out
}

func inferStep(c *op.Infer) error {
	w, err := trained(c)
	if err != nil {
		return err
	}
	for i := range c.In {
		switch i {
		case 2, 4:
			err = oneNumber(c, i, tensor.Float32)
		case 3:
			err = oneNumber(c, i, tensor.Int64)
		default:
			err = likeParameter(c, i, w)
		}
		if err != nil {
			return err
		}
	}
	for i := range c.Node.Out {
		c.Out(i, w)
	}
	return nil
}

// trained returns the type of input 0, which is changed in place. It must be float32 or float64.
func trained(c *op.Infer) (ir.Type, error) {
	w, err := c.FloatTensor(op.X)
	if err == nil && w.Elem.IsSmallFloat() {
		err = fmt.Errorf("input %q is %s, want float32 or float64", c.In[op.X].Name, w.Elem)
	}
	return w, err
}

// likeParameter reports whether input i, if it is there, may be of type w.
func likeParameter(c *op.Infer, i int, w ir.Type) error {
	if c.Arg(i) == nil {
		return nil
	}
	if err := c.LikeInput0(i); err != nil {
		return err
	}
	return c.HasShape(i, w.Shape...)
}

// oneNumber checks that input i, if present, is one number of a type.
func oneNumber(c *op.Infer, i int, want tensor.DType) error {
	v := c.Arg(i)
	if v == nil {
		return nil
	}
	t, err := c.Tensor(i)
	if err != nil {
		return err
	}
	if t.Elem != want || !ir.Size(t.Shape).Is(1) {
		return fmt.Errorf("input %q is %s, want one %s", v.Name, t, want)
	}
	return nil
}

// stepArgs returns the arguments of an optimizer's kernel: those that it changes, with nil for omitted slots,
// the gradient, and where the training is.
func stepArgs(l *op.Lowering, slots int) []any {
	args := []any{l.Out[0]}
	for k := range slots {
		args = append(args, l.Res(1+k))
	}
	return append(args, l.In[stepGradient], op.Struct{Type: "StepAt", Elems: []tensor.DType{l.In[stepRate].Type.Elem}, Fields: []op.Field{
		{Name: "Rate", Value: l.In[stepRate]}, {Name: "Step", Value: l.In[stepNumber]}, {Name: "Scale", Value: l.Arg(stepFactor)},
	}})
}

// stepLower returns the lowering to one kernel with the given number of slots and the hyperparameters of the
// node.
func stepLower(kernel string, slots int) func(l *op.Lowering) error {
	return func(l *op.Lowering) error {
		l.Call(kernel, append(stepArgs(l, slots), stepParams(l.Node))...)
		return nil
	}
}

// stepFields are the hyperparameters by the names of their attributes.
var stepFields = []struct{ attr, field string }{
	{"decay", "Decay"},
	{"momentum", "Momentum"},
	{"dampening", "Dampening"},
	{"beta1", "Beta1"},
	{"beta2", "Beta2"},
	{"epsilon", "Epsilon"},
	{"rate_decay", "RateDecay"},
}

// stepFlags are the boolean hyperparameters.
var stepFlags = []struct{ attr, field string }{
	{"nesterov", "Nesterov"},
	{"maximize", "Maximize"},
}

// stepParams returns the hyperparameters of the node.
func stepParams(n *ir.Node) op.Struct {
	fields := []op.Field{{Name: "Factor", Value: n.Float("factor")}}
	for _, f := range stepFields {
		if x := n.Float(f.attr); x != 0 {
			fields = append(fields, op.Field{Name: f.field, Value: x})
		}
	}
	for _, f := range stepFlags {
		if n.Int(f.attr) != 0 {
			fields = append(fields, op.Field{Name: f.field, Value: true})
		}
	}
	return op.Struct{Type: "StepParams", Fields: fields}
}
