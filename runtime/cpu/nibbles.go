package cpu

import (
	"encoding/binary"
	"unsafe"
)

// nibbleGroup is the number of weights of a column in a word.
const nibbleGroup = 8

// PackNibblesSize returns how many bytes [PackNibbles] writes.
func PackNibblesSize(k, n int) int { return 4 * PackB32Size(k/nibbleGroup, n) }

// PackNibbles packs weights of 4 bits, n columns of k that count from -8 on, where k is a multiple of 8, for
// [MatMulNibbles]: in panels like those of [PackB32], of words of 8 weights in two's complement, the first
// one lowest.
func PackNibbles(dst, w []byte, k, n int) {
	words := scratch.get(k / nibbleGroup * n)
	wide := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
	for i := range wide {
		wide[i] = w[i] ^ 0x88
	}
	packed := scratch.get(PackB32Size(k/nibbleGroup, n))
	PackB32T(packed, words, k/nibbleGroup, n)
	copy(dst, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(packed))), 4*len(packed)))
	scratch.put(packed)
	scratch.put(words)
}

// PackNibbleZerosSize returns how many floats [PackNibbleZeros] writes.
func PackNibbleZerosSize(blocks, n int) int { return PackB32Size(blocks, n) }

// PackNibbleZeros packs zero points of 4 bits for [MatMulNibbles]: floats in the range of the weights. Each
// of n columns has a zero point for each of its blocks, and begins with a new byte.
func PackNibbleZeros(dst []float32, zeros []byte, blocks, n int) {
	wide := scratch.get(blocks * n)
	line := (blocks + 1) / 2
	for i := range wide {
		b := i % blocks
		wide[i] = float32(int(zeros[i/blocks*line+b/2]>>(b%2*4)&15) - 8)
	}
	PackB32T(dst, wide, blocks, n)
	scratch.put(wide)
}

// MatMulNibbles is the product of m rows of k floats with weights of 4 bits. Each block of a column has a
// scale, and a zero point if zeros is not nil:
//
//	for i, j := range dst { // row, column
//		for l := range k {
//			dst[i, j] += x[i, l] * (w[j, l] - zeros[j, l/block]) * scales[j, l/block]
//		}
//		dst[i, j] += bias[j]
//	}
//
// The weights are packed by [PackNibbles], scales by [PackB32T], zeros by [PackNibbleZeros]. The last block
// of a column may have fewer weights than the others. Few rows are multiplied with the packed weights, block
// by block. For more rows, blocks of weights are converted to floats that stay in the cache, and sums run
// over k as in other products.
func MatMulNibbles(dst, x []float32, w []byte, scales, zeros, bias []float32, m, k, n, block int) {
	if len(dst) == 0 {
		return
	}
	b := nibbles{w: w, scales: scales, zeros: zeros, k: k, n: n, block: block, blocks: (k + block - 1) / block}
	const few = 2 // rows
	if m <= few {
		for i := range m {
			b.row(row(dst, i, n), row(x, i, k), bias)
		}
		return
	}
	g := gemms.get()
	*g = gemm{dst: dst, a: x, bias: bias, batch: 1, m: m, k: k, n: n, lda: k, ldc: n, packs: true, nibbles: b}
	g.do()
	g.nibbles = nibbles{}
	gemms.put(g)
}

// nibbles are packed weights of 4 bits.
type nibbles struct {
	w                   []byte
	scales, zeros       []float32
	k, n, block, blocks int
}

// at returns the weights of a panel from a block on.
func (b *nibbles) at(panels, blk int) nibblePanel {
	i := (panels*b.blocks + blk) * panel
	return nibblePanel{
		w: b.w[i*b.block/2:], scales: b.scales[i:], zeros: from(b.zeros, i),
		blocks: b.blocks - blk, groups: b.block / nibbleGroup,
	}
}

// row computes a product of one row.
func (b *nibbles) row(dst, x, bias []float32) {
	t := nibbleRows.get()
	*t = nibbleRow{nibbles: *b, dst: dst, x: x, bias: bias}
	var own []float32
	if whole := b.blocks * b.block; whole > b.k {
		own = scratch.get(whole)
		clear(own[copy(own, x):])
		t.x = own
	}
	if b.zeros != nil {
		t.sums = scratch.get(b.blocks)
		for i := range t.sums {
			t.sums[i] = sumOf(row(t.x, i, b.block))
		}
	}
	panels := (b.n + panel - 1) / panel
	each := b.k * panel / 32 // nanoseconds
	t.perTurn = max(1, 2000/(each+1))
	parallel((panels+t.perTurn-1)/t.perTurn, panels*each, t)
	scratch.put(own)
	scratch.put(t.sums)
	*t = nibbleRow{}
	nibbleRows.put(t)
}

// sumOf returns the sum of x, whose length is a multiple of 4.
func sumOf(x []float32) float32 {
	var s [4]float32
	for ; len(x) >= 4; x = x[4:] {
		s[0], s[1], s[2], s[3] = s[0]+x[0], s[1]+x[1], s[2]+x[2], s[3]+x[3]
	}
	return s[0] + s[1] + (s[2] + s[3])
}

// nibbleRow is the task of a product of one row. A turn is a few panels.
type nibbleRow struct {
	nibbles
	dst, x, bias, sums []float32
	perTurn            int
}

var nibbleRows freelist[nibbleRow]

func (t *nibbleRow) run(i int) {
	var own [panel]float32
	for p := i * t.perTurn; p < (i+1)*t.perTurn && p*panel < t.n; p++ {
		j, c := t.at(p, 0), p*panel
		j.x, j.sums, j.dst = t.x, t.sums, own[:]
		j.row()
		d := t.dst[c:min(c+panel, t.n)]
		if t.bias != nil {
			VecAdd32(d, own[:len(d)], t.bias[c:])
		} else {
			copy(d, own[:])
		}
	}
}

// widen converts groups of weights from k0 to k1 of the panel of column j to floats.
func (b *nibbles) widen(dst []float32, j, k0, k1 int) {
	for k := k0; k < k1; {
		end := min((k/b.block+1)*b.block, k1)
		t := b.at(j/panel, k/b.block)
		t.w = t.w[k%b.block/nibbleGroup*4*panel:]
		t.dst, t.groups = dst[(k-k0)*panel:], (end-k)/nibbleGroup
		t.floats()
		k = end
	}
}

// nibblePanel is the argument of a micro-kernel. Assembly uses the offsets of its fields.
type nibblePanel struct {
	w             []byte
	scales, zeros []float32
	x             []float32
	sums          []float32 // of the blocks of x
	dst           []float32
	blocks        int
	groups        int // of a block, or of the values converted to floats
}

// nibble returns weight j of a word.
func nibble(word uint32, j int) float32 { return float32(int32(word<<(28-4*j)) >> 28) }

// rowGo computes the products of a row with the panel's columns.
func (t *nibblePanel) rowGo() {
	dst := t.dst[:panel]
	clear(dst)
	for b := range t.blocks {
		var sums [2][panel]float32
		for g := range t.groups {
			x := t.x[(b*t.groups+g)*nibbleGroup:][:nibbleGroup]
			w := t.w[(b*t.groups+g)*4*panel:][:4*panel]
			for c := range panel {
				word := binary.LittleEndian.Uint32(w[4*c:])
				for j, v := range x {
					sums[j%2][c] += nibble(word, j) * v
				}
			}
		}
		for c := range dst {
			sum := sums[0][c] + sums[1][c]
			if t.zeros != nil {
				sum -= t.zeros[b*panel+c] * t.sums[b]
			}
			dst[c] += t.scales[b*panel+c] * sum
		}
	}
}

// floatsGo converts a block's groups to rows of floats.
func (t *nibblePanel) floatsGo() {
	for i := range t.groups * nibbleGroup {
		g, j := i/nibbleGroup, i%nibbleGroup
		d := row(t.dst, i, panel)
		for c := range d {
			w := nibble(binary.LittleEndian.Uint32(t.w[(g*panel+c)*4:]), j)
			if t.zeros != nil {
				w -= t.zeros[c]
			}
			d[c] = w * t.scales[c]
		}
	}
}
