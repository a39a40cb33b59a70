package cpu

import (
	"math"
	"unsafe"
)

// byteOut converts sums to outputs. For the sum at row i and column j it computes
//
//	sum += add[j] - shift[j]*rowSums[i]
//	ints[i*ldd+j] = sum
//	floats[i*ldd+j] = max(float32(sum) * mult[j], low)
//	bytes[i*ldd+j] = round(min(max(float32(sum)*mult[j], low), high)) + zero
//
// and writes the output that is not nil. A nil shift is zero. A half is rounded to even, NaN becomes low.
type byteOut struct {
	ints       []int32
	floats     []float32
	bytes      []byte
	ldd        int
	add, shift []int32
	mult       []float32
	low, high  float32
	zero       int32
	signed     bool // bytes are int8
}

// newByteOut returns the output of sums in dst, whose rows are n elements apart.
func newByteOut[D int8 | uint8 | int32 | float32](dst []D, add, shift []int32, mult []float32, zero int, relu bool, n int) byteOut {
	o := byteOut{zero: int32(zero), add: add, shift: shift, mult: mult, ldd: n}
	switch d := any(dst).(type) {
	case []int32:
		o.ints = d
	case []float32:
		o.floats, o.low = d, float32(math.Inf(-1))
	case []int8:
		o.bytes = asBytes(d)
		o.setRange(true)
	case []uint8:
		o.bytes = d
		o.setRange(false)
	}
	if relu {
		o.low = max(o.low, 0)
	}
	return o
}

// setRange makes outputs saturate at the bounds of int8, or of uint8.
func (o *byteOut) setRange(signed bool) {
	o.low, o.high, o.signed = 0, 255, signed
	if signed {
		o.low, o.high = -128, 127
	}
	o.low -= float32(o.zero)
	o.high -= float32(o.zero)
}

// from returns the output from row i and column j on.
func (o byteOut) from(i, j int) byteOut {
	switch at := i*o.ldd + j; {
	case o.ints != nil:
		o.ints = o.ints[at:]
	case o.floats != nil:
		o.floats = o.floats[at:]
	default:
		o.bytes = o.bytes[at:]
	}
	o.add = o.add[j:]
	if o.mult != nil {
		o.mult = o.mult[j:]
	}
	if o.shift != nil {
		o.shift = o.shift[j:]
	}
	return o
}

// storeGo writes the outputs of sums[i*lds+j] for rows from r on and columns from j on. The first of rowSums
// is that of row r.
func (o *byteOut) storeGo(sums []int32, lds, r, j, rows, cols int, rowSums []int32) {
	for i := range rows {
		at, s := (r+i)*o.ldd+j, sums[i*lds:][:cols]
		for c, v := range s {
			v += o.add[j+c]
			if o.shift != nil {
				v -= o.shift[j+c] * rowSums[i]
			}
			o.put(at+c, v, j+c)
		}
	}
}

// put writes output i for a sum of column j.
func (o *byteOut) put(i int, sum int32, j int) {
	if o.ints != nil {
		o.ints[i] = sum
		return
	}
	x := float32(float32(sum) * o.mult[j])
	if !(x > o.low) {
		x = o.low
	}
	if o.floats != nil {
		o.floats[i] = x
		return
	}
	if !(x < o.high) {
		x = o.high
	}
	o.bytes[i] = byte(int32(math.RoundToEven(float64(x))) + o.zero)
}

// requantTile is the argument of the assembly of [byteOut.store].
type requantTile struct {
	dst            unsafe.Pointer
	sums, add      *int32
	mult           *float32
	ldd, lds       int // in bytes
	rows, cols     int
	low, high      float32
	zero           int32
	shift, rowSums *int32

	// For bytes of whole panels: two words that are added to those of uint8, or of int8 plus 128; four of the least bytes then;
	// and four that are xored to make int8 of them.
	offset, floor, flip uint32
}

// setBytes sets what kernels for bytes of whole panels read.
func (t *requantTile) setBytes(signed bool) {
	offset := uint32(t.zero)
	if signed {
		offset += flipped
		t.flip = flipped * 0x01010101
	}
	t.offset, t.floor = offset*0x00010001, (uint32(int32(t.low))+offset)*0x01010101
}

// tile returns the argument for the outputs of [byteOut.storeGo], of which there is at least one.
func (o *byteOut) tile(sums []int32, lds, r, j, rows, cols int, rowSums []int32) requantTile {
	at := r*o.ldd + j
	last := at + (rows-1)*o.ldd + cols
	t := requantTile{
		sums: &sums[:(rows-1)*lds+cols][0], add: &o.add[j : j+cols][0],
		ldd: o.ldd, lds: 4 * lds, rows: rows, cols: cols, low: o.low, high: o.high, zero: o.zero,
	}
	if o.mult != nil {
		t.mult = &o.mult[j : j+cols][0]
	}
	if o.shift != nil {
		t.shift, t.rowSums = &o.shift[j : j+cols][0], &rowSums[:rows][0]
	}
	switch {
	case o.ints != nil:
		t.dst, t.ldd = unsafe.Pointer(&o.ints[at:last][0]), 4*o.ldd
	case o.floats != nil:
		t.dst, t.ldd = unsafe.Pointer(&o.floats[at:last][0]), 4*o.ldd
	default:
		t.dst = unsafe.Pointer(&o.bytes[at:last][0])
	}
	return t
}
