package contrib

import (
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Trilu is ONNX's operator of the same name.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.Trilu
var Trilu = &op.Op{
	Name:    "Trilu",
	Domain:  op.Microsoft,
	Since:   []int{1},
	Attrs:   []op.Attr{{Name: "upper", Kind: op.Int, Default: 1}},
	Inputs:  []op.Port{{Name: "X", Types: elem.Any}, {Name: "k", Types: elem.Indices, Optional: true}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Expand:  renamed("Trilu"),
}
