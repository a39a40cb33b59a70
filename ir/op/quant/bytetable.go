package quant

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [ByteTable].
const (
	byteTableX = iota
	byteTableTable
)

// ByteTable is a function of one byte: y = table[x], where the table is a constant of 256 bytes. An int8 is
// reinterpreted as uint8.
var ByteTable = &op.Op{
	Name:    "ByteTable",
	Domain:  op.Own,
	Since:   []int{1},
	Inputs:  []op.Port{byteTableX: {Name: "x", Types: elem.Bytes}, byteTableTable: {Name: "table", Types: elem.Bytes}},
	Outputs: []op.Port{{Name: "y", Like: "table"}},
	Infer:   inferByteTable,
	Lower:   lowerByteTable,
	Last:    &op.LastForm{Build: lastByteTable},
	InPlace: true,
	Stops:   op.StopStepwise,

	Pointwise: op.Always,
}

func inferByteTable(c *op.Infer) error {
	x, err := c.ByteTensor(byteTableX)
	if err != nil {
		return err
	}
	table, err := c.ByteTensor(byteTableTable)
	if err != nil {
		return err
	}
	if !c.In[byteTableTable].IsConst() || !ir.Size(table.Shape).Is(256) {
		return fmt.Errorf("input %q is %s, want a constant of 256 bytes", c.In[byteTableTable].Name, table)
	}
	c.OutTensor(0, table.Elem, x.Shape...)
	return nil
}

func lowerByteTable(l *op.Lowering) error {
	l.Each("ByteTable", l.Out[0], l.In[byteTableX], op.Whole{Value: l.In[byteTableTable]})
	return nil
}

// lastByteTable converts a ByteTable: the table stays as it is.
func lastByteTable(l *op.Last) *ir.Value {
	x := l.Of(l.In[byteTableX])
	if x == nil {
		return nil
	}
	return l.Own("ByteTable", nil, x, l.In[byteTableTable])
}
