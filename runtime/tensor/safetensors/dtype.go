package safetensors

import (
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// dtypes are the format's element types in the order of its reference
// implementation, whose files have tensors of later types first. The types of
// six bits are missing: there is no dtype for them.
var dtypes = []struct {
	name  string
	dtype tensor.DType
}{
	{"BOOL", tensor.Bool},
	{"F4", tensor.Float4E2M1},
	{"U8", tensor.Uint8},
	{"I8", tensor.Int8},
	{"F8_E5M2", tensor.Float8E5M2},
	{"F8_E4M3", tensor.Float8E4M3FN},
	{"F8_E8M0", tensor.Float8E8M0},
	{"F8_E4M3FNUZ", tensor.Float8E4M3FNUZ},
	{"F8_E5M2FNUZ", tensor.Float8E5M2FNUZ},
	{"I16", tensor.Int16},
	{"U16", tensor.Uint16},
	{"F16", tensor.Float16},
	{"BF16", tensor.BFloat16},
	{"I32", tensor.Int32},
	{"U32", tensor.Uint32},
	{"F32", tensor.Float32},
	{"C64", tensor.Complex64},
	{"F64", tensor.Float64},
	{"I64", tensor.Int64},
	{"U64", tensor.Uint64},
}

// byName returns the dtype of a name in files, or Undefined.
func byName(name string) tensor.DType {
	for _, d := range dtypes {
		if d.name == name {
			return d.dtype
		}
	}
	return tensor.Undefined
}

// rank returns the index of d in dtypes, or -1.
func rank(d tensor.DType) int {
	for i := range dtypes {
		if dtypes[i].dtype == d {
			return i
		}
	}
	return -1
}

// whole reports whether n elements of d fill their last byte.
func whole(n int, d tensor.DType) bool { return int64(n)*int64(d.Bits())%8 == 0 }

// names returns the names of f's tensors in the order of a file: wider types first, so that every tensor begins
// at a multiple of its element size, then by name.
func (f *File) names() []string {
	names := make([]string, 0, len(f.Tensors))
	for name := range f.Tensors {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if c := rank(f.Tensors[b].DType) - rank(f.Tensors[a].DType); c != 0 {
			return c
		}
		if a < b {
			return -1
		}
		return 1
	})
	return names
}
