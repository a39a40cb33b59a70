package cpu

import "encoding/binary"

// nibblesStep is how many nibbles the kernels take at a time.
const nibblesStep = 64

// PackNibbles is
//
//	for i := range dst {
//		dst[i] = x[2*i]&0xf | x[2*i+1]<<4
//	}
//
// where x is twice as long as dst, or one byte shorter: then the last upper nibble is 0.
func PackNibbles(dst, x []byte) {
	dst = dst[:(len(x)+1)/2]
	packNibbles(dst, x)
}

func packNibblesGo(dst, x []byte) {
	for ; len(x) >= 8; dst, x = dst[4:], x[8:] {
		v := binary.LittleEndian.Uint64(x) & 0x0f0f0f0f0f0f0f0f
		v = (v | v>>4) & 0x00ff00ff00ff00ff
		v = (v | v>>8) & 0x0000ffff0000ffff
		binary.LittleEndian.PutUint32(dst, uint32(v|v>>16))
	}
	for i, v := range x {
		if i%2 == 0 {
			dst[i/2] = v & 0xf
		} else {
			dst[i/2] |= v << 4
		}
	}
}

// UnpackNibbles is
//
//	for i := range dst {
//		dst[i] = b[i/2]>>(4*(i%2))<<4>>4
//	}
//
// in arithmetic of int8: numbers from -8 to 7.
func UnpackNibbles(dst []int8, b []byte) { unpackNibbles(dst, b[:(len(dst)+1)/2]) }

func unpackNibblesGo(dst []int8, b []byte) {
	for ; len(dst) >= 2; dst, b = dst[2:], b[1:] {
		dst[0], dst[1] = int8(b[0]<<4)>>4, int8(b[0])>>4
	}
	if len(dst) > 0 {
		dst[0] = int8(b[0]<<4) >> 4
	}
}
