package cpu

// Quantize is [QuantizeLinear] to bytes by one scale. Without a zero point it is 0.
func Quantize[D int8 | uint8](dst []D, x, scale []float32, zero []D) {
	t := byteVec{bytes: asBytes(dst), floats: x[:len(dst)], scale: scale[0], zero: int32(zeroPoint(zero, 0))}
	t.low, t.high = byteRange[D](t.zero)
	t.do()
}

// byteRange returns what quotients saturate at before a zero point is added.
func byteRange[D int8 | uint8](zero int32) (low, high float32) {
	l, h := quantRange[D]()
	return float32(l) - float32(zero), float32(h) - float32(zero)
}

// Dequantize is [DequantizeLinear] of bytes by one scale. Without a zero point it is 0.
func Dequantize[S int8 | uint8](dst []float32, x []S, scale []float32, zero []S) {
	t := byteVec{bytes: asBytes(x[:len(dst)]), floats: dst, scale: scale[0], zero: int32(zeroPoint(zero, 0)), back: true, signed: signed[S]()}
	t.do()
}

var byteVecs freelist[byteVec]

// byteVec is the task of quantizing or dequantizing a vector. A turn is a run of elements.
type byteVec struct {
	bytes        []byte
	floats       []float32
	scale        float32
	zero         int32
	low, high    float32
	back, signed bool
}

// do processes all elements, on several threads if that is faster.
func (t byteVec) do() {
	if len(t.bytes) < vecLong {
		t.part(0, len(t.bytes))
		return
	}
	task := byteVecs.get()
	*task = t
	parallel((len(t.bytes)+vecTurn-1)/vecTurn, len(t.bytes)/4, task)
	*task = byteVec{}
	byteVecs.put(task)
}

func (t *byteVec) run(i int) { t.part(i*vecTurn, min((i+1)*vecTurn, len(t.bytes))) }

// part processes elements lo ≤ i < hi.
func (t *byteVec) part(lo, hi int) {
	if t.back {
		dequantizeBytes(t.floats[lo:hi], t.bytes[lo:hi], t.signed, t.scale, t.zero)
	} else {
		quantizeBytes(t.bytes[lo:hi], t.floats[lo:hi], t.scale, t.low, t.high, t.zero)
	}
}
