package recurrent

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [DynamicLSTM].
const (
	dynamicLSTMX = iota
	dynamicLSTMW
	dynamicLSTMR
	dynamicLSTMB
	dynamicLSTMSequenceLens
	dynamicLSTMInitialH
	dynamicLSTMInitialC
	dynamicLSTMP
	dynamicLSTMWScale
	dynamicLSTMWSum
	dynamicLSTMWZeroPoint
	dynamicLSTMRScale
	dynamicLSTMRSum
	dynamicLSTMRZeroPoint
)

// DynamicLSTM is [LSTM] with constant weights of int8. Its inputs are those of LSTM, followed for the input's
// and the state's weights by a scale for each direction and gate, the sum of the gate's weights minus their
// zero point, and the zero point. The products are of bytes: the other operand is quantized as a whole once
// it is known.
var DynamicLSTM = &op.Op{
	Name:   "DynamicLSTM",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  op.NewestAttrs(lstmAttrs),
	Inputs: []op.Port{
		dynamicLSTMX:            {Name: "X", Types: elem.Floats},
		dynamicLSTMW:            {Name: "W"},
		dynamicLSTMR:            {Name: "R"},
		dynamicLSTMB:            {Name: "B", Like: "X", Optional: true},
		dynamicLSTMSequenceLens: {Name: "sequence_lens", Types: elem.Int32s, Optional: true},
		dynamicLSTMInitialH:     {Name: "initial_h", Like: "X", Optional: true},
		dynamicLSTMInitialC:     {Name: "initial_c", Like: "X", Optional: true},
		dynamicLSTMP:            {Name: "P", Like: "X", Optional: true},
		dynamicLSTMWScale:       {Name: "W_scale", Types: elem.Floats, Optional: true},
		dynamicLSTMWSum:         {Name: "W_sum", Optional: true},
		dynamicLSTMWZeroPoint:   {Name: "W_zero_point", Optional: true},
		dynamicLSTMRScale:       {Name: "R_scale", Types: elem.Floats, Optional: true},
		dynamicLSTMRSum:         {Name: "R_sum", Optional: true},
		dynamicLSTMRZeroPoint:   {Name: "R_zero_point", Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Like: "X", Optional: true}, {Name: "Y_h", Like: "X", Optional: true}, {Name: "Y_c", Like: "X", Optional: true}},
	Infer:   inferDynamicLSTM,
	Lower:   lowerDynamicLSTM,
	FLOPs:   recurrentWork(4),
	Stops:   op.StopFromIntegers,
}

func inferDynamicLSTM(c *op.Infer) error {
	x, err := c.Rank(dynamicLSTMX, 3)
	if err != nil {
		return err
	}
	if x.Elem != tensor.Float32 {
		return fmt.Errorf("input %q is %s, want float32", c.In[dynamicLSTMX].Name, x)
	}
	r, err := readRecurrent(c.Node)
	if err != nil {
		return err
	}
	for i := 1; i < 3; i++ {
		if v := c.In[i]; !v.IsConst() || v.Type.Elem != tensor.Int8 {
			return fmt.Errorf("input %q is %s, want a constant of int8", v.Name, v.Type)
		}
	}
	if _, err := gateFuncs(c.Node, r.directions); err != nil {
		return err
	}
	if err := checkRecurrent(c, r, 4, 2); err != nil {
		return err
	}
	gates := r.hidden.Mul(ir.C(4 * r.directions))
	for i, elem := range []tensor.DType{tensor.Float32, tensor.Int32, tensor.Int32, tensor.Float32, tensor.Int32, tensor.Int32} {
		v := c.Arg(dynamicLSTMWScale + i)
		if v == nil || !v.IsConst() || v.Type.Elem != elem || !ir.Size(op.Shape(v)).Equal(gates) {
			return fmt.Errorf("input %d is not a constant of %s for %s gates", 8+i, elem, gates)
		}
	}
	r.outputs(c, 2)
	return nil
}

func lowerDynamicLSTM(l *op.Lowering) error {
	r, params, err := recurrentOf(l)
	if err != nil {
		return err
	}
	l.Call("DynamicLSTM", l.Res(0), l.Res(1), l.Res(2), r.inputs(l),
		byteGates(l, dynamicLSTMW, dynamicLSTMWScale), byteGates(l, dynamicLSTMR, dynamicLSTMRScale), r.buffers(l, 4, 2), params)
	return nil
}

// byteGates returns the weights of input w, whose scales, sums and zero points are the inputs from scale on.
func byteGates(l *op.Lowering, w, scale int) op.Struct {
	s := l.In[w].Const.Shape
	return op.Struct{Type: "ByteGates", Fields: []op.Field{
		{Name: "W", Value: op.Packed{Value: l.In[w], Packer: "PackGates8", Dims: []int{s[0], s[2], s[1]}}},
		{Name: "Scales", Value: l.In[scale]}, {Name: "Sums", Value: l.In[scale+1]}, {Name: "Shifts", Value: shiftsOf(l.In[scale+2])},
	}}
}

// shiftsOf returns v, or nothing if it is zero throughout.
func shiftsOf(v *ir.Value) *ir.Value {
	for _, s := range tensor.Data[int32](v.Const) {
		if s != 0 {
			return v
		}
	}
	return nil
}
