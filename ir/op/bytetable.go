package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// ByteTable is what becomes of functions of one byte: y = table[x], where the
// table is a constant of 256 bytes. An int8 counts as the uint8 of the same bits.
var ByteTable = &Op{
	Name:    "ByteTable",
	Domain:  Own,
	Since:   []int{1},
	Inputs:  []Port{{Name: "x", Types: int8s}, {Name: "table", Types: int8s}},
	Outputs: []Port{{Name: "y", Like: "table"}},
	Infer:   inferByteTable,
	Lower:   lowerByteTable,
	Last:    &LastForm{Build: lastByteTable},
	InPlace: true,
	Stops:   stepwise,

	Pointwise: everyNode,
}

func inferByteTable(c *Infer) error {
	x, err := byteTensor(c, 0)
	if err != nil {
		return err
	}
	table, err := byteTensor(c, 1)
	if err != nil {
		return err
	}
	if !c.In[1].IsConst() || !ir.Size(table.Shape).Is(256) {
		return fmt.Errorf("input %q is %s, want a constant of 256 bytes", c.In[1].Name, table)
	}
	c.OutTensor(0, table.Elem, x.Shape...)
	return nil
}

func lowerByteTable(l *Lowering) error {
	l.Each("ByteTable", l.Out[0], l.In[0], Whole{l.In[1]})
	return nil
}

// lastByteTable has its table as it is.
func lastByteTable(l *Last) *ir.Value {
	x := l.Of(l.In[0])
	if x == nil {
		return nil
	}
	return l.own("ByteTable", nil, x, l.In[1])
}
