//go:build amd64 && !purego

package cpu

import "unsafe"

//go:generate env GOWORK=off go -C _asm run ./int8 -out ../int8_amd64.s

// hasVNNI reports whether the CPU can multiply bytes and add four products in one instruction.
var hasVNNI = has(needs.VNNI)

// hasVBMI reports whether the CPU can permute the bytes of registers.
var hasVBMI = has(needs.VBMI)

func vnni() bool { return level == AVX512 && hasVNNI }

// hasVNNI256 reports whether the CPU has the same instruction for 256 bits without AVX-512.
var hasVNNI256 = has(needs.VNNI256)

func vnni256() bool { return level == AVX2 && hasVNNI256 }

// The maximum numbers of rows and of sums of all micro-kernels of bytes.
const (
	maxByteRows = 2 * amxRows
	maxByteSums = maxByteRows * amxPanels * panel
)

// vnniRows is the maximum number of rows for VNNI; more rows use AMX tiles.
const vnniRows = 14

// byteRows returns the maximum number of rows of a micro-kernel, for runs of the given groups of four bytes.
// AMX tiles that are less than half full would not be faster.
func byteRows(quads int) int {
	switch {
	case amx() && quads >= amxQuads/2:
		return maxByteRows
	case vnni():
		return vnniRows
	case level == Portable:
		return 4
	case vnni256():
		return 3
	}
	return maxWordRows
}

// maxWordRows is the maximum number of rows of words of a micro-kernel.
const maxWordRows = 6

// byteWords reports whether micro-kernels for m rows read words. Two rows cost less as bytes: most of the
// work is then to split bytes of b.
func byteWords(m int) bool { return level != Portable && !vnni() && !vnni256() && m > 2 }

// widenRuns is [widenRunsGo].
func widenRuns(dst, x []byte, starts []int, quads int) int32 {
	if quads == 0 || len(starts) == 0 {
		return 0
	}
	_, _ = dst[8*quads*len(starts)-1], x[starts[len(starts)-1]+4*quads-1]
	return int32(widenRunsAVX2(unsafe.SliceData(dst), unsafe.SliceData(x), &starts[0], len(starts), quads))
}

// byteUnit returns the number of panels that the fastest micro-kernel for so many rows needs.
func byteUnit(rows int) int {
	switch {
	case vnni() && rows <= 3:
		return 4
	case vnni() && rows == 4, vnni256() && rows == 1:
		return 2
	}
	return 1
}

// bytePanels returns how many of the remaining panels a micro-kernel for so many rows takes.
func bytePanels(rows, left int) int {
	switch unit := byteUnit(rows); {
	case rows > vnniRows && amx():
		return min(left, amxPanels)
	case left >= unit:
		return unit
	}
	return 1
}

// byteSpeed returns multiply-adds per nanosecond of a thread, roughly: they decide how many threads take part, and whether
// [QConvWinograd] is faster. A tile with 256 bytes of depth reaches 1.2 in Go and 256 with VNNI on a Cascade Lake of 2.5 GHz,
// and 86 with AVX2 on a Zen 4.
func byteSpeed() int {
	switch {
	case amx():
		return 1000
	case vnni():
		return 300
	case level == Portable:
		return 1
	case vnni256():
		return 120
	}
	return 80
}

// byteNear returns the number of bytes of b that stay in the second cache while rows are multiplied with them. Tiles read them so
// fast that the rows, which come from farther away, should be read less often.
func byteNear() int {
	if amx() {
		return 1 << 19
	}
	return 1 << 18
}

func (t *byteTile) run() {
	switch {
	case vnni() && t.rows > vnniRows:
		t.runAMX()
	case vnni() && t.panels > 1 && t.rows == 4:
		byteTile4x64VNNI(t)
	case vnni() && t.panels > 1:
		byteTileNx128VNNI(t, t.rows)
	case vnni():
		byteTileNx32VNNI(t, t.rows)
	case level == Portable:
		t.runGo()
	case vnni256() && t.panels > 1:
		byteTile1x64VNNI256(t)
	case vnni256():
		byteTileNx32VNNI256(t, t.rows)
	case t.wide:
		t.runWide()
	default:
		byteTileNx32AVX2(t, t.rows)
	}
}

// runWide computes the columns of one panel in halves.
func (t *byteTile) runWide() {
	half := *t
	for j := 0; j < t.cols; j += panel / 2 {
		half.b, half.c = t.b[min(4*j, len(t.b)):], t.c[j:] // b may have no rows
		byteTileNx16AVX2(&half, t.rows)
	}
}

// depthWidth returns the number of channels of a micro-kernel, of those that are left.
func depthWidth(left int) int {
	switch {
	case vnni() && left > 32:
		return 64
	case level != Portable && left > 16:
		return 32
	}
	return 16
}

func (t *depthTile) run(width int) {
	switch {
	case level == Portable:
		t.runGo(width)
	case width == 64:
		depth64VNNI(t)
	case width == 32 && vnni():
		depth32VNNI(t)
	case width == 32 && vnni256():
		depth32VNNI256(t)
	case width == 32:
		depth32AVX2(t)
	case vnni():
		depth16VNNI(t)
	case vnni256():
		depth16VNNI256(t)
	default:
		depth16AVX2(t)
	}
}

// sumRuns is [sumRunsGo].
func sumRuns(dst []int32, x []byte, apart int, starts []int, run int) {
	if level == Portable || len(dst) == 0 || len(starts) == 0 || run == 0 {
		sumRunsGo(dst, x, apart, starts, run)
		return
	}
	_ = x[(len(dst)-1)*apart+starts[len(starts)-1]+run-1]
	sumRunsAVX2(&dst[0], &x[0], len(dst), apart, &starts[0], len(starts), run)
}

// flipBytes is [flipBytesGo].
func flipBytes(dst, x []byte, flip byte) {
	whole := len(dst) &^ 31
	if level == Portable || whole == 0 {
		flipBytesGo(dst, x, flip)
		return
	}
	flipBytesAVX2(unsafe.SliceData(dst), unsafe.SliceData(x[:len(dst)]), whole, uint32(flip)*0x01010101)
	flipBytesGo(dst[whole:], x[whole:], flip)
}

// maxBytes makes each byte of dst the larger of itself and that of x.
func maxBytes(dst, x []byte, signed bool) {
	d, b := unsafe.SliceData(dst), unsafe.SliceData(x[:len(dst)])
	switch {
	case level == Portable || len(dst) < 16:
		maxBytesGo(dst, x, signed)
	case signed:
		maxS8AVX2(d, b, len(dst))
	default:
		maxU8AVX2(d, b, len(dst))
	}
}

// byteTableSpeed returns, roughly, the bytes that are looked up in a nanosecond. In Go it is 1.5 on a Cascade Lake of 2.5
// GHz.
func byteTableSpeed() int {
	if level == AVX512 && hasVBMI {
		return 16
	}
	return 1
}

// byteTable is [byteTableGo].
func byteTable(dst, x []byte, table *[256]byte) {
	if level != AVX512 || !hasVBMI {
		byteTableGo(dst, x, table)
		return
	}
	byteTableVBMI(unsafe.SliceData(dst), unsafe.SliceData(x[:len(dst)]), &table[0], len(dst))
}

// store is [byteOut.storeGo].
func (o *byteOut) store(sums []int32, lds, r, j, rows, cols int, rowSums []int32) {
	if level == Portable || rows == 0 || cols == 0 {
		o.storeGo(sums, lds, r, j, rows, cols, rowSums)
		return
	}
	switch t := o.tile(sums, lds, r, j, rows, cols, rowSums); {
	case o.ints != nil:
		t.runInts()
	case o.floats != nil:
		t.runFloats()
	case cols == panel && o.shift == nil && level == AVX512:
		requantPanelAVX512(&t)
	case cols >= panel && level == AVX2:
		t.setBytes(o.signed)
		t.runPanels()
	default:
		t.runBytes()
	}
}

// runPanels computes the bytes of whole panels, and then those of the other columns.
func (t *requantTile) runPanels() {
	rest := t.cols % panel
	t.cols -= rest
	if t.shift != nil {
		requantPanelsShiftedAVX2(t)
	} else {
		requantPanelsAVX2(t)
	}
	if rest == 0 {
		return
	}
	whole := 4 * uintptr(t.cols)
	t.dst = unsafe.Add(t.dst, t.cols)
	t.sums, t.add = (*int32)(unsafe.Add(unsafe.Pointer(t.sums), whole)), (*int32)(unsafe.Add(unsafe.Pointer(t.add), whole))
	t.mult = (*float32)(unsafe.Add(unsafe.Pointer(t.mult), whole))
	if t.shift != nil {
		t.shift = (*int32)(unsafe.Add(unsafe.Pointer(t.shift), whole))
	}
	t.cols = rest
	t.runBytes()
}

func (t *requantTile) runInts() {
	switch {
	case level == AVX512 && t.shift != nil:
		requantIntsShiftedAVX512(t)
	case level == AVX512:
		requantIntsAVX512(t)
	case t.shift != nil:
		requantIntsShiftedAVX2(t)
	default:
		requantIntsAVX2(t)
	}
}

func (t *requantTile) runFloats() {
	switch {
	case level == AVX512 && t.shift != nil:
		requantFloatsShiftedAVX512(t)
	case level == AVX512:
		requantFloatsAVX512(t)
	case t.shift != nil:
		requantFloatsShiftedAVX2(t)
	default:
		requantFloatsAVX2(t)
	}
}

func (t *requantTile) runBytes() {
	switch {
	case level == AVX512 && t.shift != nil:
		requantBytesShiftedAVX512(t)
	case level == AVX512:
		requantBytesAVX512(t)
	case t.shift != nil:
		requantBytesShiftedAVX2(t)
	default:
		requantBytesAVX2(t)
	}
}

// packQuads packs whole groups of four rows of 32 columns, and returns the number of packed columns.
func packQuads(dst, b []byte, quads, ldb int, flip byte) (done int) {
	if level == Portable || quads == 0 {
		return 0
	}
	_, _ = dst[quads*4*panel-1], b[(4*quads-1)*ldb+panel-1]
	packQuadsAVX2(unsafe.SliceData(dst), unsafe.SliceData(b), quads, ldb, uint32(flip)*0x01010101)
	return quads
}

func quantizeBytes(dst []byte, x []float32, scale, low, high float32, zero int32) {
	q := newByteQuantizer(scale, low, high, zero)
	if !quantizeBytesAtLevel(unsafe.SliceData(dst), unsafe.SliceData(x[:len(dst)]), len(dst), &q) {
		quantizeBytesGo(dst, x, scale, low, high, zero)
	}
}

// addBytes is [byteAdder.part] for whole slices, and reports whether the level has a kernel for it.
func addBytes(dst, a, b []byte, t *byteAdder) (done bool) {
	q := newByteQuantizer(t.scale, t.low, t.high, t.zero)
	d, x, y := unsafe.SliceData(dst), unsafe.SliceData(a[:len(dst)]), unsafe.SliceData(b[:len(dst)])
	if t.signed {
		return addS8AtLevel(d, x, y, len(dst), &q, &t.byteScales)
	}
	return addU8AtLevel(d, x, y, len(dst), &q, &t.byteScales)
}

func newByteQuantizer(scale, low, high float32, zero int32) byteQuantizer {
	inverse, near := 1/scale, float32(nearHalf)
	if inverse == 0 || !(min(abs32(scale), abs32(inverse)) >= leastNormal) {
		near = 0
	}
	return byteQuantizer{scale, inverse, near, low, high, zero}
}

// byteQuantizer is the numbers of quantizeBytes for assembly. A quotient is inverse·x, or x/scale if its distance from an
// integer is near or more.
type byteQuantizer struct {
	scale, inverse, near float32
	low, high            float32
	zero                 int32
}

// A quotient of at most 512 differs by less than half of 1/4096 from the product with the inverse, if that is
// a normal number. Both are rounded to the same integer, unless the quotient is near a half.
const (
	nearHalf    = 0.5 - 1.0/4096
	leastNormal = 0x1p-126
)

func intsToFloats(dst []float32, x []int32) {
	if !intsToFloatsAtLevel(unsafe.SliceData(dst), unsafe.SliceData(x[:len(dst)]), len(dst)) {
		intsToFloatsGo(dst, x)
	}
}

func dequantizeBytes(dst []float32, x []byte, signed bool, scale float32, zero int32) {
	d, b := unsafe.SliceData(dst), unsafe.SliceData(x[:len(dst)])
	done := false
	if signed {
		done = dequantizeS8AtLevel(d, b, len(dst), scale, zero)
	} else {
		done = dequantizeU8AtLevel(d, b, len(dst), scale, zero)
	}
	if !done {
		dequantizeBytesGo(dst, x, signed, scale, zero)
	}
}
