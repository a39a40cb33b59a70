package imagedec

import "math/bits"

// jpegWriter writes one scan.
type jpegWriter struct {
	f       *flatJPEG
	out     []byte
	acc     uint64
	have    int
	last    []int
	run     int   // the number of blocks that end early
	due     []int // bits behind the run
	pending []int // bits of this block that belong behind its next code
}

func (w *jpegWriter) bits(v, n int) {
	w.acc, w.have = w.acc<<n|uint64(v&(1<<n-1)), w.have+n
	for ; w.have >= 8; w.have -= 8 {
		b := byte(w.acc >> (w.have - 8))
		if w.out = append(w.out, b); b == 0xff {
			w.out = append(w.out, 0)
		}
	}
}

// symbol writes a code: those of a table have all the same length, and are in the order of the symbols.
func (w *jpegWriter) symbol(s int) {
	n := 8
	if w.f.long {
		n = 16
	}
	w.bits(s, n)
}

// end fills the last byte with ones.
func (w *jpegWriter) end() {
	w.endRun()
	if w.have > 0 {
		w.bits(1<<(8-w.have)-1, 8-w.have)
	}
}

// number writes a symbol and the number of which it has the size.
func (w *jpegWriter) number(run, v int) {
	n := bits.Len(uint(max(v, -v)))
	w.symbol(run<<4 | n)
	if v < 0 {
		v--
	}
	w.bits(v, n)
}

func (w *jpegWriter) dc(c, v int) {
	w.number(0, v-w.last[c])
	w.last[c] = v
}

// ac writes the coefficients of a block from first to last, without the low lowest bits of their magnitudes.
func (w *jpegWriter) ac(b [64]int, first, last, low int) {
	run := 0
	for k := first; k <= last; k++ {
		v := b[k] / (1 << low)
		if v == 0 {
			run++
			continue
		}
		w.endRun()
		for ; run > 15; run -= 16 {
			w.symbol(0xf0)
		}
		w.number(run, v)
		run = 0
	}
	w.early(run > 0)
}

// early counts blocks that end early. A sequential file has a code for each.
func (w *jpegWriter) early(yes bool) {
	if yes || len(w.pending) > 0 {
		w.run++
		w.due, w.pending = append(w.due, w.pending...), nil
		if !w.f.progressive {
			w.endRun()
		}
	}
}

func (w *jpegWriter) endRun() {
	if w.run > 0 {
		n := bits.Len(uint(w.run)) - 1
		w.symbol(n << 4)
		w.bits(w.run, n)
		w.run = 0
	}
	w.flush(&w.due)
}

func (w *jpegWriter) flush(due *[]int) {
	for _, b := range *due {
		w.bits(b, 1)
	}
	*due = nil
}

// refine writes bit low of the coefficients of a block, by figure G.7 of the specification.
func (w *jpegWriter) refine(b [64]int, first, last, low int) {
	end := 0 // the last one that is new in this scan
	for k := first; k <= last; k++ {
		if max(b[k], -b[k])>>low == 1 {
			end = k
		}
	}
	run := 0
	for k := first; k <= last; k++ {
		v := max(b[k], -b[k]) >> low
		if v == 0 {
			run++
			continue
		}
		for run > 15 && k <= end {
			w.endRun()
			w.symbol(0xf0)
			w.flush(&w.pending)
			run -= 16
		}
		if v > 1 {
			w.pending = append(w.pending, v&1)
			continue
		}
		w.endRun()
		w.symbol(run<<4 | 1)
		sign := 1
		if b[k] < 0 {
			sign = 0
		}
		w.bits(sign, 1)
		w.flush(&w.pending)
		run = 0
	}
	w.early(run > 0)
}
