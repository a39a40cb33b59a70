package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [DynamicQuantizeLSTM].
const (
	quantLSTMX = iota
	quantLSTMW
	quantLSTMR
	quantLSTMB
	quantLSTMSequenceLens
	quantLSTMInitialH
	quantLSTMInitialC
	quantLSTMP
	quantLSTMWScale
	quantLSTMWZeroPoint
	quantLSTMRScale
	quantLSTMRZeroPoint
)

// DynamicQuantizeLSTM is an LSTM with weights of bytes.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.DynamicQuantizeLSTM
var DynamicQuantizeLSTM = &op.Op{
	Name:   "DynamicQuantizeLSTM",
	Domain: op.Microsoft,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "activation_alpha", Kind: op.Floats},
		{Name: "activation_beta", Kind: op.Floats},
		{Name: "activations", Kind: op.Strings},
		{Name: "clip", Kind: op.Float, Default: 0.0},
		{Name: "direction", Kind: op.String, Default: "forward"},
		{Name: "hidden_size", Kind: op.Int},
		{Name: "input_forget", Kind: op.Int, Default: 0},
	},
	Inputs: []op.Port{
		quantLSTMX:            {Name: "X", Types: elem.Floats},
		quantLSTMW:            {Name: "W", Types: elem.Bytes},
		quantLSTMR:            {Name: "R", Like: "W"},
		quantLSTMB:            {Name: "B", Like: "X", Optional: true},
		quantLSTMSequenceLens: {Name: "sequence_lens", Types: elem.Indices, Optional: true},
		quantLSTMInitialH:     {Name: "initial_h", Like: "X", Optional: true},
		quantLSTMInitialC:     {Name: "initial_c", Like: "X", Optional: true},
		quantLSTMP:            {Name: "P", Like: "X", Optional: true},
		quantLSTMWScale:       {Name: "W_scale", Like: "X"},
		quantLSTMWZeroPoint:   {Name: "W_zero_point", Like: "W"},
		quantLSTMRScale:       {Name: "R_scale", Like: "X"},
		quantLSTMRZeroPoint:   {Name: "R_zero_point", Like: "W"},
	},
	Outputs: []op.Port{{Name: "Y", Like: "X", Optional: true}, {Name: "Y_h", Like: "X", Optional: true}, {Name: "Y_c", Like: "X", Optional: true}},
	Expand:  dynamicLSTM,
}

// dynamicLSTM multiplies bytes if its weights are constants. Otherwise it dequantizes the weights to floats,
// which is more exact.
func dynamicLSTM(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	for _, i := range []int{quantLSTMW, quantLSTMR} {
		if err := needRank(n, i, 3); err != nil {
			return nil, err
		}
	}
	for _, i := range []int{quantLSTMWScale, quantLSTMWZeroPoint, quantLSTMRScale, quantLSTMRZeroPoint} {
		if err := needRank(n, i, 1, 2); err != nil {
			return nil, err
		}
	}
	attrs := given(n, "activation_alpha", "activation_beta", "activations", "clip", "direction", "hidden_size", "input_forget")
	w, ok := readByteGates(n, quantLSTMW, quantLSTMWScale)
	r, ok2 := readByteGates(n, quantLSTMR, quantLSTMRScale)
	if ok && ok2 && n.In[quantLSTMX].Type.Elem == tensor.Float32 {
		in := []*ir.Value{n.In[quantLSTMX], b.Const(w.weights), b.Const(r.weights), n.Arg(quantLSTMB), n.Arg(quantLSTMSequenceLens), n.Arg(quantLSTMInitialH), n.Arg(quantLSTMInitialC), n.Arg(quantLSTMP)}
		for _, g := range []*byteGates{w, r} {
			in = append(in, b.Const(g.scales), b.Const(g.sums), b.Const(g.shifts))
		}
		return op.OwnNodes(b, "DynamicLSTM", 3, attrs, in...), nil
	}
	in := []*ir.Value{n.In[quantLSTMX], gateWeights(b, n, quantLSTMW, quantLSTMWScale), gateWeights(b, n, quantLSTMR, quantLSTMRScale), n.Arg(quantLSTMB), n.Arg(quantLSTMSequenceLens), n.Arg(quantLSTMInitialH), n.Arg(quantLSTMInitialC), n.Arg(quantLSTMP)}
	return b.OpN("LSTM", 3, attrs, in...), nil
}

// gateWeights are weights [directions, inputs, gates] as floats and transposed; their
// scale and zero point are of a direction, or of a gate.
func gateWeights(b *ir.Builder, n *ir.Node, i, scale int) *ir.Value {
	each := func(v *ir.Value) *ir.Value { // of a direction's gates
		if len(op.Shape(v)) == 1 {
			return b.Op("Unsqueeze", v, b.Ints(1, 2))
		}
		return b.Op("Unsqueeze", v, b.Ints(1))
	}
	s := each(n.In[scale])
	w := op.Cast(b, n.In[i], s.Type.Elem)
	if zero := n.Arg(scale + 1); zero != nil {
		w = b.Op("Sub", w, op.Cast(b, each(zero), s.Type.Elem))
	}
	return swapLast(b, b.Op("Mul", w, s))
}
