package tensorio

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bbgen/bbgen/runtime/internal/protofield"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/raw"
)

// The fields of TensorProto.
const (
	tensorDims         = 1
	tensorDataType     = 2
	tensorSegment      = 3
	tensorFloatData    = 4
	tensorInt32Data    = 5
	tensorStringData   = 6
	tensorInt64Data    = 7
	tensorName         = 8
	tensorRawData      = 9
	tensorDoubleData   = 10
	tensorUint64Data   = 11
	tensorDataLocation = 14
)

// DecodeTensor reads a TensorProto and its name. The data must be inside:
// external data and segments are errors.
func DecodeTensor(b []byte) (*tensor.Tensor, string, error) {
	var f Fields
	var name string
	err := protofield.Each(b, func(x protofield.Field) error {
		if x.Num != tensorName {
			return f.set(x)
		}
		name = string(x.Bytes)
		return x.Want("name", protowire.BytesType)
	})
	var t *tensor.Tensor
	if err == nil {
		t, err = f.Tensor()
	}
	if err != nil {
		return nil, "", fmt.Errorf("tensor %q: %w", name, err)
	}
	return t, name, nil
}

// set stores field x; fields without data are skipped.
func (f *Fields) set(x protofield.Field) (err error) {
	switch x.Num {
	case tensorDims:
		f.Dims, err = protofield.AppendVarints(f.Dims, "dims", x)
	case tensorDataType:
		f.DType = int32(x.Bits)
		return x.Want("data_type", protowire.VarintType)
	case tensorSegment:
		return errors.New("segment is set, want the whole tensor")
	case tensorFloatData:
		f.Floats, err = protofield.AppendFloats(f.Floats, "float_data", x)
	case tensorInt32Data:
		f.Int32s, err = protofield.AppendVarints(f.Int32s, "int32_data", x)
	case tensorStringData:
		f.Strings = append(f.Strings, x.Bytes)
		return x.Want("string_data", protowire.BytesType)
	case tensorInt64Data:
		f.Int64s, err = protofield.AppendVarints(f.Int64s, "int64_data", x)
	case tensorRawData:
		f.Raw = x.Bytes
		return x.Want("raw_data", protowire.BytesType)
	case tensorDoubleData:
		f.Doubles, err = protofield.AppendDoubles(f.Doubles, "double_data", x)
	case tensorUint64Data:
		f.Uint64s, err = protofield.AppendVarints(f.Uint64s, "uint64_data", x)
	case tensorDataLocation:
		if x.Bits != 0 {
			return errors.New("data_location is external, want the data in this file")
		}
		return x.Want("data_location", protowire.VarintType)
	}
	return err
}

// AppendTensor appends t as a TensorProto: raw_data, or string_data for
// strings.
func AppendTensor(dst []byte, name string, t *tensor.Tensor) []byte {
	for _, d := range t.Shape {
		dst = appendInt(dst, tensorDims, uint64(d))
	}
	dst = appendInt(dst, tensorDataType, uint64(t.DType))
	if t.DType == tensor.String {
		for _, s := range tensor.Data[string](t) {
			dst = protowire.AppendTag(dst, tensorStringData, protowire.BytesType)
			dst = protowire.AppendString(dst, s)
		}
	}
	if name != "" {
		dst = protowire.AppendTag(dst, tensorName, protowire.BytesType)
		dst = protowire.AppendString(dst, name)
	}
	if t.DType != tensor.String {
		dst = protowire.AppendTag(dst, tensorRawData, protowire.BytesType)
		dst = protowire.AppendVarint(dst, uint64(raw.Len(t.Len(), t.DType)))
		dst = raw.Append(dst, t)
	}
	return dst
}
