//go:build !purego

package cpu

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// hasDotProd reports whether the CPU can multiply bytes and add four products in one instruction.
var hasDotProd = cpu.ARM64.HasASIMDDP

func dotProd() bool { return level == NEON && hasDotProd }

// The maximum numbers of rows and of sums of all micro-kernels of bytes.
const (
	maxByteRows = 4
	maxByteSums = maxByteRows * panel
)

func byteRows(quads int) int        { return maxByteRows }
func byteUnit(rows int) int         { return 1 }
func bytePanels(rows, left int) int { return 1 }

// byteSpeed returns multiply-adds per nanosecond of a thread, roughly: they decide only how many threads take part. That
// of the dot product is an estimate: half of one instruction in a cycle at 2.5 GHz.
func byteSpeed() int {
	if dotProd() {
		return 20
	}
	return 1
}

func (t *byteTile) run() {
	switch {
	case !dotProd():
		t.runGo()
	case t.rows == 1:
		byteTile1x32NEON(t)
	case t.rows == 2:
		byteTile2x32NEON(t)
	case t.rows == 3:
		byteTile3x32NEON(t)
	default:
		byteTile4x32NEON(t)
	}
}

func depthWidth(left int) int { return 16 }

func (t *depthTile) run(width int) {
	if !dotProd() {
		t.runGo(width)
		return
	}
	depth16NEON(t)
}

func sumBytes(x []byte) int32 { return sumBytesGo(x) }

func maxBytes(dst, x []byte, signed bool) { maxBytesGo(dst, x, signed) }

// store is [byteOut.storeGo].
func (o *byteOut) store(sums []int32, lds, r, j, rows, cols int, rowSums []int32) {
	whole := fours(cols)
	if whole > 0 && rows > 0 {
		switch t := o.tile(sums, lds, r, j, rows, whole, rowSums); {
		case o.ints != nil:
			requantIntsNEON(&t)
		case o.floats != nil:
			requantFloatsNEON(&t)
		default:
			requantBytesNEON(&t)
		}
	}
	if whole < cols {
		o.storeGo(sums[whole:], lds, r, j+whole, rows, cols-whole, rowSums)
	}
}

// fours returns how many of n elements are in whole vectors of the level.
func fours(n int) int {
	if level == Portable {
		return 0
	}
	return n &^ 3
}

func packQuads(dst, b []byte, quads, ldb int, flip byte) (done int) { return 0 }

func byteTable(dst, x []byte, table *[256]byte) { byteTableGo(dst, x, table) }

// byteTableSpeed returns, roughly, the bytes that are looked up in a nanosecond.
func byteTableSpeed() int { return 1 }

func quantizeBytes(dst []byte, x []float32, scale, low, high float32, zero int32) {
	x = x[:len(dst)]
	n := fours(len(dst))
	quantizeBytesNEON(unsafe.SliceData(dst), unsafe.SliceData(x), n, scale, low, high, zero)
	quantizeBytesGo(dst[n:], x[n:], scale, low, high, zero)
}

func dequantizeBytes(dst []float32, x []byte, signed bool, scale float32, zero int32) {
	x = x[:len(dst)]
	n := fours(len(dst))
	if d, b := unsafe.SliceData(dst), unsafe.SliceData(x); signed {
		dequantizeS8NEON(d, b, n, scale, zero)
	} else {
		dequantizeU8NEON(d, b, n, scale, zero)
	}
	dequantizeBytesGo(dst[n:], x[n:], signed, scale, zero)
}

func intsToFloats(dst []float32, x []int32) { intsToFloatsGo(dst, x) }

//go:noescape
func byteTile1x32NEON(t *byteTile)

//go:noescape
func byteTile2x32NEON(t *byteTile)

//go:noescape
func byteTile3x32NEON(t *byteTile)

//go:noescape
func byteTile4x32NEON(t *byteTile)

//go:noescape
func depth16NEON(t *depthTile)

//go:noescape
func requantIntsNEON(t *requantTile)

//go:noescape
func requantFloatsNEON(t *requantTile)

//go:noescape
func requantBytesNEON(t *requantTile)

//go:noescape
func quantizeBytesNEON(dst *byte, x *float32, n int, scale, low, high float32, zero int32)

//go:noescape
func dequantizeS8NEON(dst *float32, x *byte, n int, scale float32, zero int32)

//go:noescape
func dequantizeU8NEON(dst *float32, x *byte, n int, scale float32, zero int32)
