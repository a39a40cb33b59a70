package tensor

import (
	"encoding/binary"
	"fmt"
	"unsafe"
)

// runUnit is how many bytes are compared at a time: a row of a packed matrix.
const runUnit = 128

// AppendRuns appends b in an encoding that is short if units of 128 bytes repeat, as in constant weights: for
// each run the number of repetitions in four bytes, and the unit. A rest at the end is appended unchanged. It stops
// with ok false as soon as the encoding has more than limit bytes.
func AppendRuns(dst, b []byte, limit int) (out []byte, ok bool) {
	limit += len(dst)
	for len(b) >= runUnit {
		if len(dst) > limit {
			return dst, false
		}
		unit, n := b[:runUnit], 0
		for len(b) >= runUnit && string(b[:runUnit]) == string(unit) {
			b = b[runUnit:]
			n++
		}
		dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
		dst = append(dst, unit...)
	}
	dst = append(dst, b...)
	return dst, len(dst) <= limit
}

// Runs decodes n elements that [AppendRuns] has written to b at byte off. It panics if b is too short, as
// [View] does. The elements begin at a multiple of 64 bytes.
func Runs[T Element](b []byte, off, n int) []T {
	var x T
	size := n * int(unsafe.Sizeof(x))
	out := Aligned(size)
	b = b[off:]
	for at := 0; at < size; {
		if size-at < runUnit {
			at += copy(out[at:], b[:size-at])
			continue
		}
		end := at + int(binary.LittleEndian.Uint32(b))*runUnit
		if end <= at || end > size {
			panic(fmt.Sprintf("BUG: tensor.Runs: a run from byte %d to %d of %d", at, end, size))
		}
		done := at + copy(out[at:end], b[4:4+runUnit])
		for done < end {
			done += copy(out[done:end], out[at:done])
		}
		at, b = end, b[4+runUnit:]
	}
	return View[T](out, 0, n)
}
