package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// CDist is the distance of each row of one matrix to each row of another.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.CDist
var CDist = &op.Op{
	Name:    "CDist",
	Domain:  op.Microsoft,
	Since:   []int{1},
	Attrs:   []op.Attr{{Name: "metric", Kind: op.String, Default: "sqeuclidean", Values: []string{"sqeuclidean", "euclidean"}}},
	Inputs:  []op.Port{{Name: "A", Types: elem.Floats}, {Name: "B", Like: "A"}},
	Outputs: []op.Port{{Name: "C", Like: "A"}},
	Expand:  cDist,
}

// cDist returns the distance of each row of one matrix to each row of another.
func cDist(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if err := needRanks(n, map[int]int{op.A: 2, op.B: 2}); err != nil {
		return nil, err
	}
	d := b.Op("Sub", b.Op("Unsqueeze", n.In[op.A], b.Ints(1)), b.Op("Unsqueeze", n.In[op.B], b.Ints(0)))
	y := b.OpA("ReduceSumSquare", op.Attrs("keepdims", 0), d, b.Ints(2))
	if n.Str("metric") == "euclidean" {
		y = b.Op("Sqrt", y)
	}
	return []*ir.Value{y}, nil
}
