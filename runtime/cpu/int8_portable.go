//go:build !(amd64 || arm64) || purego

package cpu

// byteSpeed returns multiply-adds per nanosecond, roughly.
func byteSpeed() int { return 1 }

func (t *byteTile) run() { t.runGo() }

func (t *depthTile) run(width int) { t.runGo(width) }

func (o *byteOut) store(sums []int32, lds, r, j, rows, cols int, rowSums []int32) {
	o.storeGo(sums, lds, r, j, rows, cols, rowSums)
}

func quantizeBytes(dst []byte, x []float32, scale, low, high float32, zero int32) {
	quantizeBytesGo(dst, x, scale, low, high, zero)
}

func dequantizeBytes(dst []float32, x []byte, signed bool, scale float32, zero int32) {
	dequantizeBytesGo(dst, x, signed, scale, zero)
}
