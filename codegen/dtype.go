package codegen

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// dtypeConst returns the name of a dtype's constant in package tensor.
func dtypeConst(d tensor.DType) string {
	for name, x := range dtypeConsts {
		if x == d {
			return name
		}
	}
	panic(fmt.Sprintf("BUG: dtype %s has no name", d))
}

var dtypeConsts = map[string]tensor.DType{
	"Float32": tensor.Float32, "Float64": tensor.Float64, "Float16": tensor.Float16, "BFloat16": tensor.BFloat16,
	"Int8": tensor.Int8, "Int16": tensor.Int16, "Int32": tensor.Int32, "Int64": tensor.Int64,
	"Uint8": tensor.Uint8, "Uint16": tensor.Uint16, "Uint32": tensor.Uint32, "Uint64": tensor.Uint64,
	"Bool": tensor.Bool, "String": tensor.String, "Complex64": tensor.Complex64, "Complex128": tensor.Complex128,
	"Float8E4M3FN": tensor.Float8E4M3FN, "Float8E4M3FNUZ": tensor.Float8E4M3FNUZ, "Float8E5M2": tensor.Float8E5M2,
	"Float8E5M2FNUZ": tensor.Float8E5M2FNUZ, "Float8E8M0": tensor.Float8E8M0, "Float4E2M1": tensor.Float4E2M1,
	"Int4": tensor.Int4, "Uint4": tensor.Uint4, "Int2": tensor.Int2, "Uint2": tensor.Uint2,
}
