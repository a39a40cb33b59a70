package quant

import "github.com/bbgen/bbgen/ir/op"

// Ops are the operators of this family.
var Ops = []*op.Op{
	ByteTable,
	DequantizeLinear,
	DynamicQuantizeLinear,
	QAdd,
	QuantizeLinear,
}
