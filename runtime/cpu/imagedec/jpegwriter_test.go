package imagedec

import "encoding/binary"

// flatJPEG describes a JPEG file. Each block has one color unless there are coefficients.
type flatJPEG struct {
	width, height int
	factors       [][2]int // of each component, across and down
	ids           string   // "": 1, 2, 3, 4
	jfif          bool
	adobe         int // 1 + the transform in the marker
	restart       int
	long          bool // codes of 16 bits
	progressive   bool
	coefs         func(c, block int) [64]int // in the order of the file; nil: flat
	wide          bool                       // quantizers of 16 bits
}

// block returns the coefficients of a block.
func (f *flatJPEG) block(c, i int) [64]int {
	if f.coefs != nil {
		return f.coefs(c, i)
	}
	return [64]int{noise(100*c+i, 3, 256)[2] - 128}
}

// across returns the number of blocks in a row of a component: those in whole units, and those with pixels.
func (f *flatJPEG) across(c int) (whole, present, down int) {
	h, v := 0, 0
	for _, s := range f.factors {
		h, v = max(h, s[0]), max(v, s[1])
	}
	whole = ceilDiv(f.width, 8*h) * f.factors[c][0]
	return whole, ceilDiv(ceilDiv(f.width*f.factors[c][0], h), 8), ceilDiv(ceilDiv(f.height*f.factors[c][1], v), 8)
}

// each calls write for the blocks of a scan, and writes markers between them.
func (f *flatJPEG) each(parts []int, write func(w *jpegWriter, c int, b [64]int)) []byte {
	w := &jpegWriter{f: f, last: make([]int, 4)}
	marker := byte(0)
	unit := func(i int) {
		if f.restart > 0 && i > 0 && i%f.restart == 0 {
			w.end()
			w.out, w.last = append(w.out, 0xff, 0xd0+marker), make([]int, 4)
			marker = (marker + 1) % 8
		}
	}
	if len(parts) == 1 {
		c := parts[0]
		whole, across, down := f.across(c)
		for i := range across * down {
			unit(i)
			write(w, c, f.block(c, i/across*whole+i%across))
		}
		w.end()
		return w.out
	}
	h0, v0 := 0, 0
	for _, s := range f.factors {
		h0, v0 = max(h0, s[0]), max(v0, s[1])
	}
	units := ceilDiv(f.width, 8*h0)
	for i := range units * ceilDiv(f.height, 8*v0) {
		unit(i)
		for _, c := range parts {
			h, v := f.factors[c][0], f.factors[c][1]
			for k := range h * v {
				write(w, c, f.block(c, (i/units*v+k/h)*units*h+i%units*h+k%h))
			}
		}
	}
	w.end()
	return w.out
}

func jpegSegment(marker byte, data ...byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(data)+2)), data...)
}

func (f *flatJPEG) id(c int) byte {
	if f.ids != "" {
		return f.ids[c]
	}
	return byte(c + 1)
}

// scan writes a scan of components; how is the first and last coefficient and the bits.
func (f *flatJPEG) scan(parts []int, how [3]byte, write func(w *jpegWriter, c int, b [64]int)) []byte {
	head := []byte{byte(len(parts))}
	for _, c := range parts {
		head = append(head, f.id(c), 0x21) // tables 2 and 1
	}
	return append(jpegSegment(mSOS, append(head, how[:]...)...), f.each(parts, write)...)
}

// encode writes the file.
func (f flatJPEG) encode() []byte {
	b := []byte{0xff, 0xd8}
	if f.jfif {
		b = append(b, jpegSegment(0xe0, []byte("JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00")...)...)
	}
	b = append(b, jpegSegment(0xfe, []byte("\xff\xd9 is not the end")...)...)
	if f.adobe > 0 {
		b = append(b, jpegSegment(mAPPE, append([]byte("Adobe\x00\x64\x00\x00\x00\x00"), byte(f.adobe-1))...)...)
	}
	quant := []byte{3}
	for k := range 64 {
		if f.wide {
			quant[0] = 0x13
			quant = append(quant, 0)
		}
		quant = append(quant, byte(8+k))
	}
	b = append(b, jpegSegment(mDQT, quant...)...)
	counts := make([]byte, 16)
	counts[7] = 255
	if f.long {
		counts[7], counts[15] = 0, 255
	}
	var symbols []byte
	for s := range 255 {
		symbols = append(symbols, byte(s))
	}
	for _, class := range []byte{0x02, 0x11} { // DC table 2, AC table 1
		b = append(b, jpegSegment(mDHT, append(append([]byte{class}, counts...), symbols...)...)...)
	}
	if f.restart > 0 {
		b = append(b, jpegSegment(mDRI, 0, byte(f.restart))...)
	}
	frame := append(append([]byte{8}, be(f.height, f.width)...), byte(len(f.factors)))
	all := []int{}
	for c, s := range f.factors {
		frame = append(frame, f.id(c), byte(s[0]<<4|s[1]), 3)
		all = append(all, c)
	}
	if !f.progressive {
		b = append(b, jpegSegment(mSOF1, frame...)...)
		b = append(b, f.scan(all, [3]byte{0, 63, 0}, func(w *jpegWriter, c int, x [64]int) {
			w.dc(c, x[0])
			w.ac(x, 1, 63, 0)
		})...)
		return append(b, 0xff, 0xff, 0xd9)
	}
	return append(append(append(b, jpegSegment(mSOF2, frame...)...), f.progress(all)...), 0xff, 0xd9)
}

// progress writes the scans of a progressive file.
func (f *flatJPEG) progress(all []int) []byte {
	b := f.scan(all, [3]byte{0, 0, 1}, func(w *jpegWriter, c int, x [64]int) { w.dc(c, x[0]>>1) })
	for _, c := range all {
		for _, s := range [][3]int{{1, 5, 2}, {6, 63, 2}} {
			b = append(b, f.scan([]int{c}, [3]byte{byte(s[0]), byte(s[1]), byte(s[2])}, func(w *jpegWriter, _ int, x [64]int) { w.ac(x, s[0], s[1], s[2]) })...)
		}
		for low := 1; low >= 0; low-- {
			b = append(b, f.scan([]int{c}, [3]byte{1, 63, byte((low+1)<<4 | low)}, func(w *jpegWriter, _ int, x [64]int) { w.refine(x, 1, 63, low) })...)
		}
	}
	return append(b, f.scan(all, [3]byte{0, 0, 0x10}, func(w *jpegWriter, _ int, x [64]int) { w.bits(x[0], 1) })...)
}
