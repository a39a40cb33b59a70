package recurrent

import "github.com/bbgen/bbgen/ir/op"

// Ops are the operators of this family.
var Ops = []*op.Op{
	DynamicLSTM,
	GRU,
	LSTM,
	RNN,
}
