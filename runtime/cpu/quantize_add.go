package cpu

// ByteSum is the numbers of [QAdd].
type ByteSum struct {
	AScale, BScale, Scale float64 // each is a float32
	AZero, BZero, Zero    int
}

// QAdd is a sum of bytes that stand for floats:
//
//	for i := range dst {
//		dst[i] = round(((a[i]-AZero)*AScale + (b[i]-BZero)*BScale) / Scale) + Zero
//	}
//
// It computes float32, rounds a half to even, and saturates, like [Dequantize], [Add] and [Quantize].
func QAdd[T int8 | uint8](dst, a, b []T, s ByteSum) {
	t := byteAdder{
		dst: asBytes(dst), a: asBytes(a[:len(dst)]), b: asBytes(b[:len(dst)]), signed: signed[T](), scale: float32(s.Scale), zero: int32(s.Zero),
		byteScales: byteScales{float32(s.AScale), float32(s.BScale), int32(s.AZero), int32(s.BZero)},
	}
	t.low, t.high = byteRange[T](t.zero)
	if len(dst) < vecLong {
		t.part(0, len(dst))
		return
	}
	task := byteAdders.get()
	*task = t
	parallel((len(dst)+vecTurn-1)/vecTurn, len(dst)/4, task)
	*task = byteAdder{}
	byteAdders.put(task)
}

// byteScales is what the operands of a [QAdd] stand for. Assembly uses the offsets of its fields.
type byteScales struct {
	scaleA, scaleB float32
	zeroA, zeroB   int32
}

var byteAdders freelist[byteAdder]

// byteAdder is the task of QAdd. A turn is a run of elements.
type byteAdder struct {
	dst, a, b []byte
	signed    bool
	byteScales
	scale, low, high float32 // of the result
	zero             int32
}

func (t *byteAdder) run(i int) { t.part(i*vecTurn, min((i+1)*vecTurn, len(t.dst))) }

// part computes elements lo ≤ i < hi.
func (t *byteAdder) part(lo, hi int) {
	if addBytes(t.dst[lo:hi], t.a[lo:hi], t.b[lo:hi], t) {
		return
	}
	var x, y [256]float32
	for ; lo < hi; lo += len(x) {
		n := min(len(x), hi-lo)
		dequantizeBytes(x[:n], t.a[lo:lo+n], t.signed, t.scaleA, t.zeroA)
		dequantizeBytes(y[:n], t.b[lo:lo+n], t.signed, t.scaleB, t.zeroB)
		VecAdd32(x[:n], x[:n], y[:n])
		quantizeBytes(t.dst[lo:lo+n], x[:n], t.scale, t.low, t.high, t.zero)
	}
}
