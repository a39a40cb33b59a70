//go:build amd64 && !purego

package cpu

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate env GOWORK=off go -C _asm run ./int8 -out ../int8_amd64.s

// hasVNNI reports whether the CPU multiplies bytes and adds four products at once.
var hasVNNI = cpu.X86.HasAVX512VNNI

func vnni() bool { return level == AVX512 && hasVNNI }

// byteRows returns the most rows that a micro-kernel takes.
func byteRows() int {
	switch {
	case vnni():
		return 14
	case level == Portable:
		return 4
	}
	return 2
}

// bytePanels returns how many panels a micro-kernel for that many rows takes.
func bytePanels(rows int) int {
	switch {
	case vnni() && rows <= 3:
		return 4
	case vnni() && rows == 4:
		return 2
	}
	return 1
}

// byteSpeed returns multiply-adds per nanosecond, roughly.
func byteSpeed() int {
	switch {
	case vnni():
		return 180
	case level == Portable:
		return 1
	}
	return 40
}

func (t *byteTile) run() {
	switch {
	case vnni() && t.signed:
		t.runVNNIS()
	case vnni():
		t.runVNNIU()
	case level == Portable:
		t.runGo()
	case t.signed && t.rows == 1:
		byteTile1x32SAVX2(t)
	case t.signed:
		byteTile2x32SAVX2(t)
	case t.rows == 1:
		byteTile1x32UAVX2(t)
	default:
		byteTile2x32UAVX2(t)
	}
}

func (t *byteTile) runVNNIU() {
	if t.panels > 1 {
		switch t.rows {
		case 1:
			byteTile1x128UVNNI(t)
		case 2:
			byteTile2x128UVNNI(t)
		case 3:
			byteTile3x128UVNNI(t)
		case 4:
			byteTile4x64UVNNI(t)
		}
		return
	}
	switch t.rows {
	case 1:
		byteTile1x32UVNNI(t)
	case 2:
		byteTile2x32UVNNI(t)
	case 3:
		byteTile3x32UVNNI(t)
	case 4:
		byteTile4x32UVNNI(t)
	case 5:
		byteTile5x32UVNNI(t)
	case 6:
		byteTile6x32UVNNI(t)
	case 7:
		byteTile7x32UVNNI(t)
	case 8:
		byteTile8x32UVNNI(t)
	case 9:
		byteTile9x32UVNNI(t)
	case 10:
		byteTile10x32UVNNI(t)
	case 11:
		byteTile11x32UVNNI(t)
	case 12:
		byteTile12x32UVNNI(t)
	case 13:
		byteTile13x32UVNNI(t)
	case 14:
		byteTile14x32UVNNI(t)
	}
}

func (t *byteTile) runVNNIS() {
	if t.panels > 1 {
		switch t.rows {
		case 1:
			byteTile1x128SVNNI(t)
		case 2:
			byteTile2x128SVNNI(t)
		case 3:
			byteTile3x128SVNNI(t)
		case 4:
			byteTile4x64SVNNI(t)
		}
		return
	}
	switch t.rows {
	case 1:
		byteTile1x32SVNNI(t)
	case 2:
		byteTile2x32SVNNI(t)
	case 3:
		byteTile3x32SVNNI(t)
	case 4:
		byteTile4x32SVNNI(t)
	case 5:
		byteTile5x32SVNNI(t)
	case 6:
		byteTile6x32SVNNI(t)
	case 7:
		byteTile7x32SVNNI(t)
	case 8:
		byteTile8x32SVNNI(t)
	case 9:
		byteTile9x32SVNNI(t)
	case 10:
		byteTile10x32SVNNI(t)
	case 11:
		byteTile11x32SVNNI(t)
	case 12:
		byteTile12x32SVNNI(t)
	case 13:
		byteTile13x32SVNNI(t)
	case 14:
		byteTile14x32SVNNI(t)
	}
}

// requantTile is what the assembly of [byteOut.store] gets; it knows the offsets of the fields.
type requantTile struct {
	dst        unsafe.Pointer
	sums, add  *int32
	mult       *float32
	ldd, lds   int // in bytes
	rows, cols int
	low, high  float32
	zero       int32
}

// store is [byteOut.storeGo].
func (o *byteOut) store(sums []int32, lds, r, j, rows, cols int) {
	if level == Portable || rows == 0 || cols == 0 {
		o.storeGo(sums, lds, r, j, rows, cols)
		return
	}
	at, first, params := r*o.ldd+j, j, cols
	if o.byRow {
		first, params = r, rows
	}
	last := at + (rows-1)*o.ldd + cols
	t := requantTile{
		sums: &sums[:(rows-1)*lds+cols][0], add: &o.add[first : first+params][0],
		ldd: o.ldd, lds: 4 * lds, rows: rows, cols: cols, low: o.low, high: o.high, zero: o.zero,
	}
	if o.mult != nil {
		t.mult = &o.mult[first : first+params][0]
	}
	switch {
	case o.ints != nil:
		t.dst = unsafe.Pointer(&o.ints[at:last][0])
		t.ldd *= 4
		t.runInts(o.byRow)
	case o.floats != nil:
		t.dst = unsafe.Pointer(&o.floats[at:last][0])
		t.ldd *= 4
		t.runFloats(o.byRow)
	default:
		t.dst = unsafe.Pointer(&o.bytes[at:last][0])
		t.runBytes(o.byRow)
	}
}

func (t *requantTile) runInts(byRow bool) {
	switch {
	case level == AVX512 && byRow:
		requantIntsByRowAVX512(t)
	case level == AVX512:
		requantIntsAVX512(t)
	case byRow:
		requantIntsByRowAVX2(t)
	default:
		requantIntsAVX2(t)
	}
}

func (t *requantTile) runFloats(byRow bool) {
	switch {
	case level == AVX512 && byRow:
		requantFloatsByRowAVX512(t)
	case level == AVX512:
		requantFloatsAVX512(t)
	case byRow:
		requantFloatsByRowAVX2(t)
	default:
		requantFloatsAVX2(t)
	}
}

func (t *requantTile) runBytes(byRow bool) {
	switch {
	case level == AVX512 && byRow:
		requantBytesByRowAVX512(t)
	case level == AVX512:
		requantBytesAVX512(t)
	case byRow:
		requantBytesByRowAVX2(t)
	default:
		requantBytesAVX2(t)
	}
}

// packQuads packs whole groups of four rows of 32 columns, and returns how many it has packed.
func packQuads(dst, b []byte, quads, ldb int, flip byte) (done int) {
	if level == Portable || quads == 0 {
		return 0
	}
	_, _ = dst[quads*4*panel-1], b[(4*quads-1)*ldb+panel-1]
	packQuadsAVX2(unsafe.SliceData(dst), unsafe.SliceData(b), quads, ldb, uint32(flip)*0x01010101)
	return quads
}

func quantizeBytes(dst []byte, x []float32, scale, low, high float32, zero int32) {
	switch d, f := unsafe.SliceData(dst), unsafe.SliceData(x[:len(dst)]); level {
	case AVX512:
		quantizeBytesAVX512(d, f, len(dst), scale, low, high, zero)
	case AVX2:
		quantizeBytesAVX2(d, f, len(dst), scale, low, high, zero)
	default:
		quantizeBytesGo(dst, x, scale, low, high, zero)
	}
}

func dequantizeBytes(dst []float32, x []byte, signed bool, scale float32, zero int32) {
	d, b := unsafe.SliceData(dst), unsafe.SliceData(x[:len(dst)])
	switch {
	case level == AVX512 && signed:
		dequantizeS8AVX512(d, b, len(dst), scale, zero)
	case level == AVX512:
		dequantizeU8AVX512(d, b, len(dst), scale, zero)
	case level == Portable:
		dequantizeBytesGo(dst, x, signed, scale, zero)
	case signed:
		dequantizeS8AVX2(d, b, len(dst), scale, zero)
	default:
		dequantizeU8AVX2(d, b, len(dst), scale, zero)
	}
}

//go:noescape
func byteTile1x32UVNNI(t *byteTile)

//go:noescape
func byteTile2x32UVNNI(t *byteTile)

//go:noescape
func byteTile3x32UVNNI(t *byteTile)

//go:noescape
func byteTile4x32UVNNI(t *byteTile)

//go:noescape
func byteTile5x32UVNNI(t *byteTile)

//go:noescape
func byteTile6x32UVNNI(t *byteTile)

//go:noescape
func byteTile7x32UVNNI(t *byteTile)

//go:noescape
func byteTile8x32UVNNI(t *byteTile)

//go:noescape
func byteTile9x32UVNNI(t *byteTile)

//go:noescape
func byteTile10x32UVNNI(t *byteTile)

//go:noescape
func byteTile11x32UVNNI(t *byteTile)

//go:noescape
func byteTile12x32UVNNI(t *byteTile)

//go:noescape
func byteTile13x32UVNNI(t *byteTile)

//go:noescape
func byteTile14x32UVNNI(t *byteTile)

//go:noescape
func byteTile1x128UVNNI(t *byteTile)

//go:noescape
func byteTile2x128UVNNI(t *byteTile)

//go:noescape
func byteTile3x128UVNNI(t *byteTile)

//go:noescape
func byteTile4x64UVNNI(t *byteTile)

//go:noescape
func byteTile1x32UAVX2(t *byteTile)

//go:noescape
func byteTile2x32UAVX2(t *byteTile)

//go:noescape
func byteTile1x32SVNNI(t *byteTile)

//go:noescape
func byteTile2x32SVNNI(t *byteTile)

//go:noescape
func byteTile3x32SVNNI(t *byteTile)

//go:noescape
func byteTile4x32SVNNI(t *byteTile)

//go:noescape
func byteTile5x32SVNNI(t *byteTile)

//go:noescape
func byteTile6x32SVNNI(t *byteTile)

//go:noescape
func byteTile7x32SVNNI(t *byteTile)

//go:noescape
func byteTile8x32SVNNI(t *byteTile)

//go:noescape
func byteTile9x32SVNNI(t *byteTile)

//go:noescape
func byteTile10x32SVNNI(t *byteTile)

//go:noescape
func byteTile11x32SVNNI(t *byteTile)

//go:noescape
func byteTile12x32SVNNI(t *byteTile)

//go:noescape
func byteTile13x32SVNNI(t *byteTile)

//go:noescape
func byteTile14x32SVNNI(t *byteTile)

//go:noescape
func byteTile1x128SVNNI(t *byteTile)

//go:noescape
func byteTile2x128SVNNI(t *byteTile)

//go:noescape
func byteTile3x128SVNNI(t *byteTile)

//go:noescape
func byteTile4x64SVNNI(t *byteTile)

//go:noescape
func byteTile1x32SAVX2(t *byteTile)

//go:noescape
func byteTile2x32SAVX2(t *byteTile)

//go:noescape
func requantIntsAVX512(t *requantTile)

//go:noescape
func requantIntsAVX2(t *requantTile)

//go:noescape
func requantIntsByRowAVX512(t *requantTile)

//go:noescape
func requantIntsByRowAVX2(t *requantTile)

//go:noescape
func requantFloatsAVX512(t *requantTile)

//go:noescape
func requantFloatsAVX2(t *requantTile)

//go:noescape
func requantFloatsByRowAVX512(t *requantTile)

//go:noescape
func requantFloatsByRowAVX2(t *requantTile)

//go:noescape
func requantBytesAVX512(t *requantTile)

//go:noescape
func requantBytesAVX2(t *requantTile)

//go:noescape
func requantBytesByRowAVX512(t *requantTile)

//go:noescape
func requantBytesByRowAVX2(t *requantTile)

//go:noescape
func packQuadsAVX2(dst, b *byte, quads, ldb int, flip uint32)

//go:noescape
func quantizeBytesAVX512(dst *byte, x *float32, n int, scale, low, high float32, zero int32)

//go:noescape
func dequantizeU8AVX512(dst *float32, x *byte, n int, scale float32, zero int32)

//go:noescape
func dequantizeS8AVX512(dst *float32, x *byte, n int, scale float32, zero int32)

//go:noescape
func quantizeBytesAVX2(dst *byte, x *float32, n int, scale, low, high float32, zero int32)

//go:noescape
func dequantizeU8AVX2(dst *float32, x *byte, n int, scale float32, zero int32)

//go:noescape
func dequantizeS8AVX2(dst *float32, x *byte, n int, scale float32, zero int32)
