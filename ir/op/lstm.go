package op

import "github.com/bbgen/bbgen/ir"

// LSTM is a layer of long short-term memory, in one direction or both.
//
// https://onnx.ai/onnx/operators/onnx__LSTM.html
var LSTM = &Op{
	Name:    "LSTM",
	Since:   []int{1, 7, 14, 22},
	In:      Arity{3, 8},
	Out:     Arity{0, 3},
	Infer:   inferRecurrent(4, 2),
	Upgrade: upgradeRecurrent,
	Lower:   lowerLSTM,
	Widen:   true,
}

func lowerLSTM(l *Lowering) error {
	r, err := readRecurrent(l.Node)
	if err != nil {
		return err
	}
	params, err := r.params(l.Node)
	if err != nil {
		return err
	}
	elem, n := l.In[0].Type.Elem, r.hidden.Mul(ir.C(4))
	l.Call("LSTM", l.Res(0), l.Res(1), l.Res(2), l.In[0], l.In[1], l.In[2],
		l.Arg(3), l.Arg(4), l.Arg(5), l.Arg(6), l.Arg(7),
		l.Scratch(elem, r.seq, r.batch, n), l.Scratch(elem, r.batch, n),
		l.Scratch(elem, r.batch, r.hidden), l.Scratch(elem, r.batch, r.hidden), params)
	return nil
}
