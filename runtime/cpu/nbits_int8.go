package cpu

import (
	"math"
	"unsafe"
)

// MatMulNBitsInt8 is [MatMulNBits] with rows of x that are quantized to int8 first. Each block of a row has
// the scale of its largest element:
//
//	for i, l := range x { // row, column
//		step[i, l/block] = max(abs(x[i, l/block*block:][:block])) / 127
//		q[i, l] = round(x[i, l] / step[i, l/block])
//	}
//
// The sums of a block are exact. The last block of a row may have fewer elements than the others.
func MatMulNBitsInt8(dst, x []float32, w []byte, scales, zeros, bias []float32, s NBitsShape) {
	if len(dst) == 0 {
		return
	}
	b := nbits{w: w, scales: scales, zeros: zeros, k: s.K, n: s.N, bits: s.Bits, block: s.Block, blocks: (s.K + s.Block - 1) / s.Block}
	t := nbitsProducts.get()
	*t = nbitsProduct{nbits: b, dst: dst, bias: bias, m: s.M}
	var own, ownQ []float32
	own, t.x = scratchBytes(s.M * b.blocks * s.Block)
	ownQ, t.q = scratchNBitsBlocks(s.M * b.blocks)
	q := nbitsQuants.get()
	*q = nbitsQuant{nbitsProduct: t, from: x}
	parallel(s.M, 2*s.M*s.K, q)
	*q = nbitsQuant{}
	nbitsQuants.put(q)
	parallel(t.cut(), s.M*s.N*s.K/nbitsInt8Speed(), t)
	scratch.put(own)
	scratch.put(ownQ)
	*t = nbitsProduct{}
	nbitsProducts.put(t)
}

// nbitsProduct is the task of a product of quantized rows. A turn is a few panels and some of the rows.
type nbitsProduct struct {
	nbits
	dst, bias []float32
	x         []byte // the quantized rows, in the order of quantizeNBits
	q         []nbitsBlock
	m         int

	panels, rows, perRows int // of a turn; turns with the same panels
}

var (
	nbitsProducts freelist[nbitsProduct]
	nbitsQuants   freelist[nbitsQuant]
)

// nbitsCache is how many bytes of quantized rows a turn reads again for each panel.
const nbitsCache = 1 << 18

// cut divides the product into turns and returns their number.
func (t *nbitsProduct) cut() int {
	panels := (t.n + panel - 1) / panel
	t.rows = min(t.m, max(2*nbitsRowsMax, nbitsCache/t.k/nbitsRowsMax*nbitsRowsMax))
	t.perRows = (t.m + t.rows - 1) / t.rows
	t.panels = max(1, 4000/(t.rows*t.k*panel/nbitsInt8Speed()+1))
	return (panels + t.panels - 1) / t.panels * t.perRows
}

// nbitsRowsMax is the number of rows of the largest micro-kernel.
const nbitsRowsMax = 6

func (t *nbitsProduct) run(turn int) {
	var own [nbitsRowsMax * panel]float32
	first := turn % t.perRows * t.rows
	for p := turn / t.perRows * t.panels; p < (turn/t.perRows+1)*t.panels && p*panel < t.n; p++ {
		for i := first; i < min(first+t.rows, t.m); {
			rows := nbitsRowsOf(min(first+t.rows, t.m) - i)
			tile := t.tile(p, i)
			tile.dst = own[:]
			tile.run(rows)
			t.store(own[:], p*panel, i, rows)
			i += rows
		}
	}
}

// nbitsRowsOf returns the number of rows of the next micro-kernel.
func nbitsRowsOf(left int) int {
	switch {
	case left >= nbitsRowsMax:
		return nbitsRowsMax
	case left >= 4:
		return 4
	}
	return min(left, 2)
}

// tile returns the micro-kernel's argument for a panel, from a row on.
func (t *nbitsProduct) tile(p, i int) nbitsTile {
	at, whole := p*t.blocks*panel, t.blocks*t.block
	return nbitsTile{
		bits: t.bits, w: t.w[at*t.block*t.bits/8:], scales: t.scales[at:], zeros: from(t.zeros, at),
		x: t.x[i*whole:], q: t.q[i*t.blocks:], blocks: t.blocks, groups: t.block / nbitsWord(t.bits),
		ldx: whole, ldq: int(unsafe.Sizeof(nbitsBlock{})) * t.blocks,
	}
}

// store copies the results of a micro-kernel to columns from c on of rows from i on, and adds the bias.
func (t *nbitsProduct) store(own []float32, c, i, rows int) {
	for r := range rows {
		d, s := row(t.dst, i+r, t.n)[c:min(c+panel, t.n)], row(own, r, panel)
		if t.bias != nil {
			VecAdd32(d, s[:len(d)], t.bias[c:])
		} else {
			copy(d, s)
		}
	}
}

// nbitsQuant is the task that quantizes rows. A turn is a row.
type nbitsQuant struct {
	*nbitsProduct
	from []float32
}

func (t *nbitsQuant) run(i int) {
	x, to, q := row(t.from, i, t.k), row(t.x, i, t.blocks*t.block), t.q[i*t.blocks:][:t.blocks]
	for b := quantizeWholeNBits(to, x, q, t.block, t.bits); b < t.blocks; b++ {
		at := b * t.block
		q[b] = quantizeNBits(row(to, b, t.block), x[at:min(at+t.block, len(x))], t.bits)
	}
}

// nbitsBlock is a quantized block of a row. Assembly uses the offsets of its fields.
type nbitsBlock struct {
	step, sum float32 // the scale, and the sum of the quantized elements
	start     int32   // what the sum of products begins with: assembly multiplies unsigned weights
}

// scratchNBitsBlocks returns n blocks of scratch memory, and the buffer that must be put back.
func scratchNBitsBlocks(n int) (buf []float32, q []nbitsBlock) {
	const floats = int(unsafe.Sizeof(nbitsBlock{}) / 4)
	buf = scratch.get(n * floats)
	return buf, unsafe.Slice((*nbitsBlock)(unsafe.Pointer(unsafe.SliceData(buf))), n)
}

// quantizeNBits quantizes a block for weights of the given bits. If these are 4, it writes the even ones of each
// eight elements before the odd ones: kernels unpack weights in that order.
func quantizeNBits(dst []byte, x []float32, bits int) nbitsBlock {
	const least = 0x1p-100 // the quotient of less is not finite; such elements become zeros
	largest, factor := largestOf(x), float32(0)
	if largest >= least {
		factor = math.MaxInt8 / largest
	}
	if len(x) < len(dst) {
		clear(dst)
	}
	sum := int32(0)
	for i, v := range x {
		q := int8(roundSmall(float32(v * factor))) // the conversion keeps the product from being fused with what follows
		sum += int32(q)
		if bits == 4 {
			i = i&^7 | i&1<<2 | i>>1&3
		}
		dst[i] = byte(q)
	}
	return nbitsBlock{step: largest / math.MaxInt8, sum: float32(sum), start: -sum << (bits - 1)}
}

// roundSmall rounds v, which is below 2²² by amount, half to even.
func roundSmall(v float32) int32 {
	const magic = 3 << 22
	return int32(math.Float32bits(v+magic)) - int32(math.Float32bits(magic))
}

// largestOf returns the largest amount of an element of x. That is NaN if an element is.
func largestOf(x []float32) float32 {
	var m uint32
	for _, v := range x {
		m = max(m, math.Float32bits(v)&math.MaxInt32)
	}
	return math.Float32frombits(m)
}

// nbitsTile is the argument of a micro-kernel for some rows and a panel. Assembly uses the offsets of its
// fields.
type nbitsTile struct {
	w              []byte
	scales, zeros  []float32
	x              []byte
	q              []nbitsBlock
	dst            []float32
	blocks, groups int
	ldx, ldq       int // bytes from row to row, of x and of q
	bits           int
}

// runGo computes the products of the rows with the panel's columns.
func (t *nbitsTile) runGo(rows int) {
	clear(t.dst[:rows*panel])
	for r := range rows {
		x, q, dst := t.x[r*t.ldx:], t.q[r*t.blocks:], row(t.dst, r, panel)
		for b := range t.blocks {
			var sums [panel]int32
			for g := b * t.groups; g < (b+1)*t.groups; g++ {
				t.add(&sums, t.w[g*4*panel:][:4*panel], x[g*nbitsWord(t.bits):])
			}
			for c := range dst {
				sum, zero := float32(sums[c]), float32(0)
				if t.zeros != nil {
					zero = t.zeros[b*panel+c]
				}
				dst[c] += t.scales[b*panel+c] * q[b].step * (sum - zero*q[b].sum)
			}
		}
	}
}

// add adds the products of a word of each column and as many elements of a row.
func (t *nbitsTile) add(sums *[panel]int32, w, x []byte) {
	for c := range sums {
		for j, v := range w[4*c:][:4] {
			if t.bits == 8 {
				sums[c] += int32(int8(v)) * int32(int8(x[j]))
				continue
			}
			even, odd := int8(v<<4)>>4, int8(v)>>4
			sums[c] += int32(even)*int32(int8(x[j])) + int32(odd)*int32(int8(x[4+j]))
		}
	}
}
