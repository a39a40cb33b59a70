package tensor

// Element is every type that a tensor's slice may have. Each element of the slice is one element of the
// tensor.
type Element interface {
	float32 | float64 |
		int8 | int16 | int32 | int64 |
		uint8 | uint16 | uint32 | uint64 |
		bool | string | complex64 | complex128 |
		F16 | BF16 |
		F8E4M3FN | F8E4M3FNUZ | F8E5M2 | F8E5M2FNUZ | F8E8M0 |
		F4E2M1 | I4 | U4 | I2 | U2
}

// DTypeOf returns the dtype whose elements are stored as T.
func DTypeOf[T Element]() DType {
	var x T
	switch any(x).(type) {
	case float32:
		return Float32
	case float64:
		return Float64
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64:
		return Int64
	case uint8:
		return Uint8
	case uint16:
		return Uint16
	case uint32:
		return Uint32
	case uint64:
		return Uint64
	case bool:
		return Bool
	case string:
		return String
	case complex64:
		return Complex64
	case complex128:
		return Complex128
	case F16:
		return Float16
	case BF16:
		return BFloat16
	case F8E4M3FN:
		return Float8E4M3FN
	case F8E4M3FNUZ:
		return Float8E4M3FNUZ
	case F8E5M2:
		return Float8E5M2
	case F8E5M2FNUZ:
		return Float8E5M2FNUZ
	case F8E8M0:
		return Float8E8M0
	case F4E2M1:
		return Float4E2M1
	case I4:
		return Int4
	case U4:
		return Uint4
	case I2:
		return Int2
	case U2:
		return Uint2
	}
	panic("BUG: tensor: element type without a dtype")
}
