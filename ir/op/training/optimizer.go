package training

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// training is the domain of the optimizers.
const training = "ai.onnx.preview.training"

// optimizer is the inference and lowering of an optimizer. Its inputs are the learning rate, the step count,
// and lists of parameters, gradients and each kind of moments; its outputs are the parameters and the
// moments.
type optimizer struct {
	kernel  string
	moments []string   // their names among the kernel's inputs
	fields  []op.Field // of the kernel's parameter: its name and its default
	attrs   []string
}

func (o optimizer) infer(c *op.Infer) error {
	lists := 2 + len(o.moments)
	n := (len(c.In) - 2) / lists
	if len(c.In) != 2+n*lists || n == 0 {
		return fmt.Errorf("has %d inputs, want 2 and a multiple of %d", len(c.In), lists)
	}
	if len(c.Node.Out) > n*(1+len(o.moments)) {
		return fmt.Errorf("has %d outputs, want %d", len(c.Node.Out), n*(1+len(o.moments)))
	}
	rate, err := c.FloatTensor(optimizerR)
	if err != nil {
		return err
	}
	step, err := c.Tensor(optimizerT)
	if err != nil {
		return err
	}
	if step.Elem != tensor.Int64 || !op.MayEqual(ir.Size(step.Shape), ir.C(1)) || !op.MayEqual(ir.Size(rate.Shape), ir.C(1)) {
		return fmt.Errorf("the rate is %s and the step count %s, want a float and an int64 of one element", rate, step)
	}
	for i := range n {
		x, err := c.FloatTensor(optimizerInputs + i)
		if err != nil {
			return err
		}
		for k := 1; k < lists; k++ {
			t, err := c.Tensor(optimizerInputs + k*n + i)
			if err != nil {
				return err
			}
			if t.Elem != x.Elem {
				return fmt.Errorf("input %q is %s, want %s", c.In[2+k*n+i].Name, t.Elem, x.Elem)
			}
			if err := c.HasShape(optimizerInputs+k*n+i, x.Shape...); err != nil {
				return err
			}
		}
		for k := range 1 + len(o.moments) {
			c.Out(k*n+i, x)
		}
	}
	return nil
}

func (o optimizer) lower(l *op.Lowering) error {
	lists := 2 + len(o.moments)
	n := (len(l.In) - 2) / lists
	fields := make([]op.Field, len(o.fields))
	for i, f := range o.fields {
		fields[i] = op.Field{Name: f.Name, Value: l.Float(o.attrs[i])}
	}
	if l.Str("mode") == "nesterov" {
		fields = append(fields, op.Field{Name: "Nesterov", Value: true})
	}
	for i := range n {
		var args []any
		for k := range 1 + len(o.moments) {
			args = append(args, l.OutOr(k*n+i, l.In[2+i].Type))
		}
		in := []op.Field{{Name: "Rate", Value: l.In[optimizerR]}, {Name: "Step", Value: l.In[optimizerT]}}
		for k, name := range append([]string{"X", "G"}, o.moments...) {
			in = append(in, op.Field{Name: name, Value: l.In[2+k*n+i]})
		}
		elems := []tensor.DType{l.In[2+i].Type.Elem, l.In[optimizerR].Type.Elem}
		l.Call(o.kernel, append(args, op.Struct{Type: "OptimizerIn", Elems: elems, Fields: in}, op.Struct{Type: "OptimizerParams", Fields: fields})...)
	}
	return nil
}
