package contrib

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// GatherND is ONNX's operator of the same name.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.GatherND
var GatherND = &op.Op{
	Name:    "GatherND",
	Domain:  op.Microsoft,
	Since:   []int{1},
	Inputs:  []op.Port{{Name: "data", Types: elem.Any}, {Name: "indices", Types: elem.Indices}},
	Outputs: []op.Port{{Name: "output", Like: "data"}},
	Expand:  renamed("GatherND"),
}
