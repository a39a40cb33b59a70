package cpu

import "math"

// floatsToInts is [Cast] of floats to integers, and reports false if these are not the types. Go leaves what does not fit
// to the processor, and processors differ: NaN is 0 on arm64 and the lowest number on amd64. Here, everywhere:
//
//	int64, int32         the lowest number if x[i] is NaN or too large
//	int16, int8, uint8…  the lower bits of the int32
//	uint32               the lower bits of the int64
//	uint64               as int64, but from 2⁶³ to 2⁶⁴ exact, and 0 from there on
//
// That is what ONNX Runtime gives on amd64.
func floatsToInts[D, S any](dst []D, x []S) bool {
	switch x := any(x).(type) {
	case []float32:
		return toInts(dst, x)
	case []float64:
		return toInts(dst, x)
	}
	return false
}

func toInts[D any, S Float](dst []D, x []S) bool {
	switch d := any(dst).(type) {
	case []int64:
		for i, v := range x[:len(d)] {
			d[i] = toInt64(v)
		}
	case []uint64:
		for i, v := range x[:len(d)] {
			d[i] = toUint64(v)
		}
	case []uint32:
		for i, v := range x[:len(d)] {
			d[i] = uint32(toInt64(v))
		}
	case []int32:
		for i, v := range x[:len(d)] {
			d[i] = toInt32(v)
		}
	case []int16:
		for i, v := range x[:len(d)] {
			d[i] = int16(toInt32(v))
		}
	case []uint16:
		for i, v := range x[:len(d)] {
			d[i] = uint16(toInt32(v))
		}
	case []int8:
		for i, v := range x[:len(d)] {
			d[i] = int8(toInt32(v))
		}
	case []uint8:
		for i, v := range x[:len(d)] {
			d[i] = uint8(toInt32(v))
		}
	default:
		return false
	}
	return true
}

func toInt64[S Float](v S) int64 {
	if v >= -0x1p63 && v < 0x1p63 {
		return int64(v)
	}
	return math.MinInt64
}

func toInt32[S Float](v S) int32 {
	if w := float64(v); w > -0x1p31-1 && w < 0x1p31 {
		return int32(w)
	}
	return math.MinInt32
}

func toUint64[S Float](v S) uint64 {
	switch {
	case v >= 0x1p64:
		return 0
	case v >= 0x1p63:
		return 1<<63 + uint64(int64(v-0x1p63))
	}
	return uint64(toInt64(v))
}

// fromFloat is [Cast] of one number.
func fromFloat[T Number](v float64) T {
	if isFloat[T]() {
		return T(v)
	}
	var to [1]T
	toInts(to[:], []float64{v})
	return to[0]
}
