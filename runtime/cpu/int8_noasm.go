//go:build !amd64 || purego

package cpu

// The maximum numbers of rows and of sums of all micro-kernels of bytes.
const (
	maxByteRows = 4
	maxByteSums = maxByteRows * panel
)

func byteRows(quads int) int { return maxByteRows }

// maxWordRows is the maximum number of rows of words: there are no micro-kernels for them.
const maxWordRows = 0

func byteWords(m int) bool { return false }

func widenRuns(dst, x []byte, starts []int, quads int) int32 {
	return widenRunsGo(dst, x, starts, quads)
}

// byteNear returns the number of bytes of b that stay in the cache while rows are multiplied with them.
func byteNear() int { return 1 << 18 }

func byteUnit(rows int) int         { return 1 }
func bytePanels(rows, left int) int { return 1 }

func depthWidth(left int) int { return 16 }

func sumRuns(dst []int32, x []byte, apart int, starts []int, run int) {
	sumRunsGo(dst, x, apart, starts, run)
}

func addBytes(dst, a, b []byte, t *byteAdder) (done bool) { return false }

func maxBytes(dst, x []byte, signed bool) { maxBytesGo(dst, x, signed) }

func packQuads(dst, b []byte, quads, ldb int, flip byte) (done int) { return 0 }

func flipBytes(dst, x []byte, flip byte) { flipBytesGo(dst, x, flip) }

func byteTable(dst, x []byte, table *[256]byte) { byteTableGo(dst, x, table) }

// byteTableSpeed returns, roughly, the bytes that are looked up in a nanosecond.
func byteTableSpeed() int { return 1 }

func intsToFloats(dst []float32, x []int32) { intsToFloatsGo(dst, x) }

// outputs computes no outputs: there is no micro-kernel that does.
func (b *byteBlock) outputs(t, end, p0, p1 int) (n, p int) { return 0, p0 }
