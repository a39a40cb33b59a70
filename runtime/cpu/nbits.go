package cpu

import (
	"encoding/binary"
	"unsafe"
)

// nbitsWord returns the number of weights of a column in a word.
func nbitsWord(bits int) int { return 32 / bits }

// maxNBitsWord is the most weights of a word.
const maxNBitsWord = 8

// PackNBitsSize returns how many bytes [PackNBits] writes.
func PackNBitsSize(k, n, bits int) int { return 4 * PackB32Size(k/nbitsWord(bits), n) }

// PackNBits packs weights of 4 or 8 bits for [MatMulNBits]: n columns of k unsigned numbers, where k is a
// multiple of the numbers in 32 bits. The result has panels like those of [PackB32], of words in two's
// complement: half of the range is subtracted. The first number of a word is the lowest.
func PackNBits(dst, w []byte, k, n, bits int) {
	lines := k / nbitsWord(bits)
	words := scratch.get(lines * n)
	wide := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
	flip := byte(0x88)
	if bits == 8 {
		flip = 0x80
	}
	for i := range wide {
		wide[i] = w[i] ^ flip
	}
	packed := scratch.get(PackB32Size(lines, n))
	PackB32T(packed, words, lines, n)
	copy(dst, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(packed))), 4*len(packed)))
	scratch.put(packed)
	scratch.put(words)
}

// PackNBitsZerosSize returns how many floats [PackNBitsZeros] writes.
func PackNBitsZerosSize(blocks, n int) int { return PackB32Size(blocks, n) }

// PackNBitsZeros packs zero points of 4 or 8 bits for [MatMulNBits]: floats in the range of the packed weights.
// Each of n columns has a zero point for each of its blocks, and begins with a new byte.
func PackNBitsZeros(dst []float32, zeros []byte, blocks, n, bits int) {
	wide := scratch.get(blocks * n)
	per := 8 / bits
	line := (blocks + per - 1) / per
	for i := range wide {
		b := i % blocks
		z := zeros[i/blocks*line+b/per] >> (b % per * bits) & (1<<bits - 1)
		wide[i] = float32(int(z) - 1<<(bits-1))
	}
	PackB32T(dst, wide, blocks, n)
	scratch.put(wide)
}

// NBitsShape is the sizes of [MatMulNBits]: M rows of K floats times K×N weights of Bits each, 4 or 8, of which a
// Block of each column has a scale of its own.
type NBitsShape struct{ M, K, N, Block, Bits int }

// MatMulNBits is the product of m rows of k floats with weights of 4 or 8 bits. Each block of a column has a
// scale, and a zero point if zeros is not nil:
//
//	for i, j := range dst { // row, column
//		for l := range k {
//			dst[i, j] += x[i, l] * (w[j, l] - zeros[j, l/block]) * scales[j, l/block]
//		}
//		dst[i, j] += bias[j]
//	}
//
// The weights are packed by [PackNBits], scales by [PackB32T], zeros by [PackNBitsZeros]. The last block
// of a column may have fewer weights than the others. Few rows are multiplied with the packed weights, block
// by block. For more rows, blocks of weights are converted to floats that stay in the cache, and sums run
// over k as in other products.
func MatMulNBits(dst, x []float32, w []byte, scales, zeros, bias []float32, s NBitsShape) {
	if len(dst) == 0 {
		return
	}
	b := nbits{w: w, scales: scales, zeros: zeros, k: s.K, n: s.N, bits: s.Bits, block: s.Block, blocks: (s.K + s.Block - 1) / s.Block}
	const few = 2 // rows
	if s.M <= few {
		for i := range s.M {
			b.row(row(dst, i, s.N), row(x, i, s.K), bias)
		}
		return
	}
	g := gemms.get()
	*g = gemm{dst: dst, a: x, bias: bias, batch: 1, m: s.M, k: s.K, n: s.N, lda: s.K, ldc: s.N, packs: true, nbits: b, widen: (*gemmBlock).widenNBits}
	g.do()
	g.nbits = nbits{}
	gemms.put(g)
}

// nbits are packed weights of a few bits.
type nbits struct {
	w                         []byte
	scales, zeros             []float32
	k, n, bits, block, blocks int
}

// at returns the weights of a panel from a block on.
func (b *nbits) at(panels, blk int) nbitsPanel {
	i := (panels*b.blocks + blk) * panel
	return nbitsPanel{
		bits: b.bits, w: b.w[i*b.block*b.bits/8:], scales: b.scales[i:], zeros: from(b.zeros, i),
		blocks: b.blocks - blk, groups: b.block / nbitsWord(b.bits),
	}
}

// address returns the weights of the panel of column j from row k on, as if they were floats. Only assembly reads them.
func (b *nbits) address(j, k int) []float32 {
	at := (j*b.blocks*b.block + k*panel) * b.bits / 8
	return asFloats(b.w[min(at, len(b.w)):])
}

// row computes a product of one row.
func (b *nbits) row(dst, x, bias []float32) {
	t := nbitsRows.get()
	*t = nbitsRow{nbits: *b, dst: dst, x: x, bias: bias}
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
	*t = nbitsRow{}
	nbitsRows.put(t)
}

// sumOf returns the sum of x, whose length is a multiple of 4.
func sumOf(x []float32) float32 {
	var s [4]float32
	for ; len(x) >= 4; x = x[4:] {
		s[0], s[1], s[2], s[3] = s[0]+x[0], s[1]+x[1], s[2]+x[2], s[3]+x[3]
	}
	return s[0] + s[1] + (s[2] + s[3])
}

// nbitsRow is the task of a product of one row. A turn is a few panels.
type nbitsRow struct {
	nbits
	dst, x, bias, sums []float32
	perTurn            int
}

var nbitsRows freelist[nbitsRow]

func (t *nbitsRow) run(i int) {
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
func (b *nbits) widen(dst []float32, j, k0, k1 int) {
	word := nbitsWord(b.bits)
	for k := k0; k < k1; {
		end, blocks := min((k/b.block+1)*b.block, k1), 1
		if k%b.block == 0 && end-k == b.block { // and all whole blocks that follow
			blocks = (k1 - k) / b.block
		}
		t := b.at(j/panel, k/b.block)
		t.w = t.w[k%b.block/word*4*panel:]
		t.dst, t.blocks, t.groups = dst[(k-k0)*panel:], blocks, (end-k)/word
		t.floats()
		k += blocks * t.groups * word
	}
}

// nbitsPanel is the argument of a micro-kernel. Assembly uses the offsets of its fields.
type nbitsPanel struct {
	w             []byte
	scales, zeros []float32
	x             []float32
	sums          []float32 // of the blocks of x
	dst           []float32
	blocks        int
	groups        int // words of a block's column, or of those that are converted to floats
	bits          int
}

// weight returns number j of a word.
func (t *nbitsPanel) weight(word uint32, j int) float32 {
	return float32(int32(word<<(32-t.bits*(j+1))) >> (32 - t.bits))
}

// rowGo computes the products of a row with the panel's columns.
func (t *nbitsPanel) rowGo() {
	dst, each := t.dst[:panel], nbitsWord(t.bits)
	clear(dst)
	for b := range t.blocks {
		var sums [2][panel]float32
		for g := range t.groups {
			x := t.x[(b*t.groups+g)*each:][:each]
			w := t.w[(b*t.groups+g)*4*panel:][:4*panel]
			for c := range panel {
				word := binary.LittleEndian.Uint32(w[4*c:])
				for j, v := range x {
					sums[j%2][c] += t.weight(word, j) * v
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

// floatsGo converts the groups of some blocks to rows of floats.
func (t *nbitsPanel) floatsGo() {
	each := nbitsWord(t.bits)
	for i := range t.blocks * t.groups * each {
		g, j, b := i/each, i%each, i/each/t.groups
		d := row(t.dst, i, panel)
		for c := range d {
			w := t.weight(binary.LittleEndian.Uint32(t.w[(g*panel+c)*4:]), j)
			if t.zeros != nil {
				w -= t.zeros[b*panel+c]
			}
			d[c] = w * t.scales[b*panel+c]
		}
	}
}
