//go:build !purego

package cpu

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// hasDotProd reports whether the CPU can multiply bytes and add four products in one instruction.
var hasDotProd = cpu.ARM64.HasASIMDDP

func dotProd() bool { return level == NEON && hasDotProd }

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

func (t *depthTile) run(width int) {
	if !dotProd() {
		t.runGo(width)
		return
	}
	depth16NEON(t)
}

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
