package tensor

// FromFloat is a tensor of rank 0 that holds v, rounded to d.
func FromFloat(d DType, v float64) *Tensor {
	t := New(d)
	switch x := t.Data.(type) {
	case []float32:
		x[0] = float32(v)
	case []float64:
		x[0] = v
	case []int64:
		x[0] = int64(v)
	case []int32:
		x[0] = int32(v)
	case []int16:
		x[0] = int16(v)
	case []int8:
		x[0] = int8(v)
	case []uint64:
		x[0] = uint64(v)
	case []uint32:
		x[0] = uint32(v)
	case []uint16:
		x[0] = uint16(v)
	case []uint8:
		x[0] = uint8(v)
	case []bool:
		x[0] = v != 0
	case []F16:
		x[0] = ToFloat16(RoundOdd(v)) // rounded once
	case []BF16:
		x[0] = ToBFloat16(RoundOdd(v))
	default:
		panic("BUG: no scalar of " + d.String())
	}
	return t
}
