package cpu

import (
	"encoding/binary"
	"unsafe"
)

// PackB8Size returns how many bytes [PackB8] writes for a k×n matrix.
func PackB8Size(k, n int) int { return (n + panel - 1) / panel * panel * quadsOf(k) * 4 }

// PackB8 packs the k×n matrix b in the layout that products of bytes read: panels of 32 columns like those of
// [PackB32], but with four values of k of one column side by side. Missing elements are zeros.
//
//	for j := range n {
//		for l := range k {
//			dst[j/32*32*k4+l/4*128+j%32*4+l%4] = b[l*n+j]
//		}
//	}
//
// where k4 is k rounded up to a multiple of 4.
func PackB8(dst, b []int8, k, n int) { packBytes(asBytes(dst), asBytes(b), k, n, n, 0) }

// PackB8T is [PackB8] for a matrix given by its transpose, n×k.
func PackB8T(dst, b []int8, k, n int) {
	clear(dst)
	if k == 0 {
		return // empty columns
	}
	for j := range n {
		d := dst[j/panel*panel*quadsOf(k)*4+j%panel*4:]
		for l, v := range b[j*k:][:k] {
			d[l/4*4*panel+l%4] = v
		}
	}
}

// packBytes is [PackB8] for rows that are ldb apart. It xors flip with each byte.
func packBytes(dst, b []byte, k, n, ldb int, flip byte) {
	quads := quadsOf(k)
	for j := 0; j < n; j += panel {
		d := dst[j*quads*4:][:panel*quads*4]
		cols, done := min(panel, n-j), 0
		if cols == panel {
			done = packQuads(d, b[min(j, len(b)):], k/4, ldb, flip)
		}
		if done == quads {
			continue
		}
		clear(d[done*4*panel:])
		for l := 4 * done; l < k; l++ {
			q := d[l/4*4*panel+l%4:]
			for i, v := range b[l*ldb+j:][:cols] {
				q[4*i] = v ^ flip
			}
		}
	}
}

// packRows copies m rows of k bytes, flips them, and fills each with zeros to a multiple of four.
func packRows(dst, a []byte, m, k int, flip byte) {
	k4 := 4 * quadsOf(k)
	if k == k4 {
		flipBytes(dst[:m*k], a, flip)
		return
	}
	for i := range m {
		d := dst[i*k4:][:k4]
		clear(d[copy(d, a[i*k:][:k]):])
	}
	if flip != 0 {
		flipBytes(dst[:m*k4], dst, flip) // what follows a row is multiplied by zeros
	}
}

// pairBytes is
//
//	for i := range x {
//		dst[2*i], dst[2*i+1] = x[i], y[i]
//	}
func pairBytes(dst, x, y []byte) {
	y = y[:len(x)]
	for ; len(x) >= 4; dst, x, y = dst[8:], x[4:], y[4:] {
		pairs := apart(binary.LittleEndian.Uint32(x)) | apart(binary.LittleEndian.Uint32(y))<<8
		binary.LittleEndian.PutUint64(dst, pairs)
	}
	for i, v := range x {
		dst[2*i], dst[2*i+1] = v, y[i]
	}
}

// apart returns the bytes of x, each followed by a zero.
func apart(x uint32) uint64 {
	v := uint64(x)
	v = (v | v<<16) & 0x0000ffff0000ffff
	return (v | v<<8) & 0x00ff00ff00ff00ff
}

// flipBytesGo sets each byte of dst to that of x with flip xored. They may be the same.
func flipBytesGo(dst, x []byte, flip byte) {
	mask := uint64(flip) * 0x0101010101010101
	x = x[:len(dst)]
	for ; len(x) >= 8; dst, x = dst[8:], x[8:] {
		binary.NativeEndian.PutUint64(dst, binary.NativeEndian.Uint64(x)^mask)
	}
	for i, v := range x {
		dst[i] = v ^ flip
	}
}

// scratchBytes lends a buffer of bytes. The first result must be given back to [scratch].
func scratchBytes(n int) ([]float32, []byte) {
	f := scratch.get((n + 3) / 4)
	return f, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(f))), n)
}

// scratchInts lends a buffer of integers, like scratchBytes.
func scratchInts(n int) ([]float32, []int32) {
	f := scratch.get(n)
	return f, unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(f))), n)
}
