package recurrent

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// LSTM is a layer of long short-term memory, in one direction or both.
//
// https://onnx.ai/onnx/operators/onnx__LSTM.html
var LSTM = &op.Op{
	Name:  "LSTM",
	Since: []int{1, 7, 14, 22},
	Attrs: lstmAttrs,
	Inputs: []op.Port{
		recurrentX:            {Name: "X", Types: elem.Floats},
		recurrentW:            {Name: "W", Like: "X"},
		recurrentR:            {Name: "R", Like: "X"},
		recurrentB:            {Name: "B", Like: "X", Optional: true},
		recurrentSequenceLens: {Name: "sequence_lens", Types: elem.Int32s, Optional: true},
		recurrentInitialH:     {Name: "initial_h", Like: "X", Optional: true},
		recurrentInitialC:     {Name: "initial_c", Like: "X", Optional: true},
		recurrentP:            {Name: "P", Like: "X", Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Like: "X", Optional: true}, {Name: "Y_h", Like: "X", Optional: true}, {Name: "Y_c", Like: "X", Optional: true}},
	Infer:   inferRecurrent(4, 2),
	Upgrade: upgradeRecurrent,
	Lower:   lowerLSTM,
	Expand:  expandRecurrent(4, 2, lstmStep),
	Expands: op.Never,
	Widen:   true,
	FLOPs:   recurrentWork(4),
}

func lowerLSTM(l *op.Lowering) error {
	r, params, err := recurrentOf(l)
	if err != nil {
		return err
	}
	w, rec, params := r.weights(l, params, 4, []int{4})
	l.Call("LSTM", l.Res(0), l.Res(1), l.Res(2), r.inputs(l), w, rec, r.buffers(l, 4, 2), params)
	return nil
}

// i, f = F(gx + h·Rᵀ + P∘c + Rb), c = f∘c + i∘G(gx + h·Rᵀ + Rb),
// o = F(gx + h·Rᵀ + P∘c + Rb), h = o∘H(c)
func lstmStep(b *cell, states []*ir.Value, gx *ir.Value) []*ir.Value {
	h, c := states[0], states[1]
	g := b.split(b.plus(b.Op("Add", gx, b.Op("MatMul", h, b.rec)), b.rb), 4)
	i, o, f, v := g[0], g[1], g[2], g[3]
	var peep []*ir.Value
	if b.peep != nil {
		peep = b.split(b.peep, 3)
		i = b.Op("Add", i, b.Op("Mul", peep[0], c))
		f = b.Op("Add", f, b.Op("Mul", peep[2], c))
	}
	i = b.gate("F", i, true)
	if b.n.Int("input_forget") != 0 {
		f = b.Op("Sub", op.ScalarLike(b.Builder, i, 1), i)
	} else {
		f = b.gate("F", f, true)
	}
	c = b.Op("Add", b.Op("Mul", f, c), b.Op("Mul", i, b.gate("G", v, true)))
	if b.peep != nil {
		o = b.Op("Add", o, b.Op("Mul", peep[1], c))
	}
	h = b.Op("Mul", b.gate("F", o, true), b.gate("H", c, false))
	return []*ir.Value{h, c}
}

// lstmAttrs are the attributes of [LSTM], which others have, too.
var lstmAttrs = []op.Attr{
	{Name: "activation_alpha", Kind: op.Floats},
	{Name: "activation_beta", Kind: op.Floats},
	{Name: "activations", Kind: op.Strings},
	{Name: "clip", Kind: op.Float, Default: 0.0},
	{Name: "direction", Kind: op.String, Default: "forward", Values: directions},
	{Name: "hidden_size", Kind: op.Int},
	{Name: "input_forget", Kind: op.Int, Default: 0},
	{Name: "layout", Kind: op.Int, Default: 0, Since: 14},
	{Name: "output_sequence", Kind: op.Int, Default: 0, Until: 7},
}
