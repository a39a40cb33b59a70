//go:build !(amd64 || arm64) || purego

package cpu

// The maximum numbers of rows and of sums of all micro-kernels of bytes.
const (
	maxByteRows = 4
	maxByteSums = maxByteRows * panel
)

func byteRows(quads int) int        { return maxByteRows }
func byteUnit(rows int) int         { return 1 }
func bytePanels(rows, left int) int { return 1 }

// byteSpeed returns multiply-adds per nanosecond, roughly.
func byteSpeed() int { return 1 }

func (t *byteTile) run() { t.runGo() }

func depthWidth(left int) int { return 16 }

func (t *depthTile) run(width int) { t.runGo(width) }

func sumBytes(x []byte) int32 { return sumBytesGo(x) }

func maxBytes(dst, x []byte, signed bool) { maxBytesGo(dst, x, signed) }

func (o *byteOut) store(sums []int32, lds, r, j, rows, cols int, rowSums []int32) {
	o.storeGo(sums, lds, r, j, rows, cols, rowSums)
}

func packQuads(dst, b []byte, quads, ldb int, flip byte) (done int) { return 0 }

func byteTable(dst, x []byte, table *[256]byte) { byteTableGo(dst, x, table) }

// byteTableSpeed returns, roughly, the bytes that are looked up in a nanosecond.
func byteTableSpeed() int { return 1 }

func quantizeBytes(dst []byte, x []float32, scale, low, high float32, zero int32) {
	quantizeBytesGo(dst, x, scale, low, high, zero)
}

func dequantizeBytes(dst []float32, x []byte, signed bool, scale float32, zero int32) {
	dequantizeBytesGo(dst, x, signed, scale, zero)
}

func intsToFloats(dst []float32, x []int32) { intsToFloatsGo(dst, x) }
