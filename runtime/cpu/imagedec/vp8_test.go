package imagedec

import (
	"fmt"
	"math"
	"testing"
)

// lumas computes the luma of each macroblock: its prediction from those above and to the left, plus the
// difference.
func (f *vp8File) lumas(blocks []vp8Flat) []int {
	across := ceilDiv(f.width, 16)
	out := make([]int, len(blocks))
	for i, b := range blocks {
		above, left, corner := 127, 129, 127
		x, y := i%across, i/across
		if y > 0 {
			above, corner = out[i-across], 129
		}
		if x > 0 {
			left = out[i-1]
		}
		if x > 0 && y > 0 {
			corner = out[i-across-1]
		} else if y == 0 {
			corner = 127
		}
		guess := 0
		switch b.mode {
		case predDC:
			switch {
			case x > 0 && y > 0:
				guess = (above + left + 1) / 2
			case x > 0:
				guess = left
			case y > 0:
				guess = above
			default:
				guess = 128
			}
		case predVE:
			guess = above
		case predHE:
			guess = left
		case predTM:
			guess = min(max(above+left-corner, 0), 255)
		}
		mean := (b.dc*f.factor(b.segment) + 3) >> 3 // of each block, times 8
		out[i] = min(max(guess+(mean+4)>>3, 0), 255)
	}
	return out
}

// factor returns the factor of the first coefficient of the means.
func (f *vp8File) factor(segment int) int {
	q := f.base
	if f.segmented && f.absolute {
		q = f.segmentQuant[segment]
	} else if f.segmented {
		q += f.segmentQuant[segment]
	}
	return 2 * int(vp8DC[min(max(q+f.deltas[1], 0), 127)])
}

// TestVP8 writes macroblocks with all modes, sizes of coefficients, segments and partitions. No product of a coefficient
// and its factor has more than 16 bits: decoders cut larger ones.
func TestVP8(t *testing.T) {
	for k := range 64 {
		f := vp8File{
			width: 1 + 37*(k%4), height: 1 + 29*(k/4%4), base: k * 2, partitions: k % 4,
			segmented: k%3 > 0, absolute: k%3 == 2, skips: k%2 == 1, adjust: k%5 == 1,
			segmentQuant: [4]int{0, 20, 60, 127}, deltas: [5]int{k % 16, 15 - k%31, -3, k%9 - 4, 2},
		}
		if !f.absolute {
			f.segmentQuant = [4]int{-90, -10, 0, 90}
		}
		var blocks []vp8Flat
		n := ceilDiv(f.width, 16) * ceilDiv(f.height, 16)
		v := noise(k, 3*n, 1<<16)
		for i := range n {
			b := vp8Flat{mode: v[3*i] % 4, segment: v[3*i+1] % 4}
			if b.dc = v[3*i+2] % min(1<<(v[3*i]>>8%8), 100); v[3*i+1]>>8&1 == 1 {
				b.dc = -b.dc
			}
			blocks = append(blocks, b)
		}
		lumas := f.lumas(blocks)
		var gray []uint8
		for i := range f.width * f.height {
			y := lumas[i/f.width/16*ceilDiv(f.width, 16)+i%f.width/16]
			gray = append(gray, uint8(min(max(math.Round(float64(y-16)*255/219), 0), 255)))
		}
		mustBe(t, fmt.Sprintf("%+v", f), f.encode(blocks), f.width, f.height, repeated(gray), 1)
	}
}

// TestVP8Edge compares the parameters of the loop filter with sections 9.6 and 15.2 to 15.4 of RFC 6386.
func TestVP8Edge(t *testing.T) {
	for _, c := range []struct {
		d                vp8
		segment          int
		subblocks, coded bool
		want             vp8Edge
	}{
		{vp8{level: 10}, 0, false, false, vp8Edge{level: 10, limit: 10}},
		{vp8{level: 10}, 0, false, true, vp8Edge{level: 10, limit: 10, inner: true}},
		{vp8{level: 10, modeDelta: 5}, 0, true, false, vp8Edge{level: 15, limit: 15, high: 1, inner: true}},
		{vp8{level: 10, modeDelta: 5}, 0, false, false, vp8Edge{level: 10, limit: 10}},
		{vp8{level: 14, frameDelta: 1}, 0, false, false, vp8Edge{level: 15, limit: 15, high: 1}},
		{vp8{level: 39}, 0, false, false, vp8Edge{level: 39, limit: 39, high: 1}},
		{vp8{level: 40}, 0, false, false, vp8Edge{level: 40, limit: 40, high: 2}},
		{vp8{level: 40, sharp: 1}, 0, false, false, vp8Edge{level: 40, limit: 8, high: 2}},
		{vp8{level: 40, sharp: 4}, 0, false, false, vp8Edge{level: 40, limit: 5, high: 2}},
		{vp8{level: 12, sharp: 4}, 0, false, false, vp8Edge{level: 12, limit: 5}},
		{vp8{level: 12, sharp: 5}, 0, false, false, vp8Edge{level: 12, limit: 3}},
		{vp8{level: 40, sharp: 7}, 0, false, false, vp8Edge{level: 40, limit: 2, high: 2}},
		{vp8{level: 1, sharp: 7}, 0, false, false, vp8Edge{level: 1, limit: 1}},
		{vp8{level: 60, frameDelta: 63}, 0, false, false, vp8Edge{level: 63, limit: 63, high: 2}},
		{vp8{level: 6, frameDelta: -63}, 0, false, false, vp8Edge{limit: 1}},
		{vp8{level: 20, segmented: true, segmentLevel: [4]int{0, -5, 9, 1}}, 1, false, false, vp8Edge{level: 15, limit: 15, high: 1}},
		{vp8{level: 20, segmented: true, absolute: true, segmentLevel: [4]int{0, -5, 9, 1}}, 2, false, false, vp8Edge{level: 9, limit: 9}},
	} {
		if got := c.d.edge(c.segment, c.subblocks, c.coded); got != c.want {
			t.Errorf("level %d, sharpness %d, deltas %d and %d: got %+v, want %+v", c.d.level, c.d.sharp, c.d.frameDelta, c.d.modeDelta, got, c.want)
		}
	}
}
