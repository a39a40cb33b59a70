package imagedec

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"math/bits"
	"slices"
)

// tiffFile describes a TIFF file: how its samples are written, not what they are.
type tiffFile struct {
	width, height         int
	bits, samples         int
	photometric           int
	compression           int
	big                   bool // big endian
	planar                bool
	predictor             bool
	reversed              bool // the bits of each byte
	rows                  int  // of a strip; 0: all
	tileWidth, tileHeight int  // 0: strips
	palette               []uint16
}

func (f tiffFile) order() binary.AppendByteOrder {
	if f.big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// encode writes a file from its samples, pixel by pixel.
func (f tiffFile) encode(v []int) []byte {
	var blocks [][]byte
	planes, samples := 1, f.samples
	if f.planar {
		planes, samples = f.samples, 1
	}
	w, h := f.width, cmpOr(f.rows, f.height)
	if f.tileWidth > 0 {
		w, h = f.tileWidth, f.tileHeight
	}
	for s := range planes {
		for y := 0; y < f.height; y += h {
			for x := 0; x < f.width; x += w {
				rows := h
				if f.tileWidth == 0 { // the last strip has only the rows that exist
					rows = min(h, f.height-y)
				}
				block := f.compressed(f.block(v, s, samples, jp2Rect{x, y, x + w, y + rows}))
				if f.reversed {
					block = slices.Clone(block)
					for i, b := range block {
						block[i] = bits.Reverse8(b)
					}
				}
				blocks = append(blocks, block)
			}
		}
	}
	return f.file(blocks)
}

func cmpOr(a, b int) int {
	if a > 0 {
		return a
	}
	return b
}

// block returns the bytes of a block before compression. Samples outside of the image are anything.
func (f tiffFile) block(v []int, first, samples int, r jp2Rect) (b []byte) {
	for y := r.y0; y < r.y1; y++ {
		var row []int
		for x := r.x0; x < r.x1; x++ {
			for s := range samples {
				at := min(y, f.height-1)*f.width + min(x, f.width-1)
				row = append(row, v[at*f.samples+first+s])
			}
		}
		if f.predictor {
			for i := len(row) - 1; i >= samples; i-- {
				row[i] = (row[i] - row[i-samples]) & (1<<f.bits - 1)
			}
		}
		if f.bits < 16 {
			b = append(b, packed(row, f.bits)...)
			continue
		}
		for _, x := range row {
			b = f.order().AppendUint16(b, uint16(x))
		}
	}
	return b
}

// compressed returns a block as it stands in the file.
func (f tiffFile) compressed(b []byte) []byte {
	var out bytes.Buffer
	switch f.compression {
	case 5:
		return tiffLZW(b)
	case 8, 32946:
		w := zlib.NewWriter(&out)
		w.Write(b)
		w.Close()
	case 32773:
		for i := 0; len(b) > 0; i++ {
			n := 1
			for n < len(b) && n < 128 && b[n] == b[0] {
				n++
			}
			if n > 1 {
				out.Write([]byte{byte(1 - n), b[0], 128}) // 128 means nothing
			} else {
				n = min(len(b), 1+i%5)
				out.Write(append([]byte{byte(n - 1)}, b[:n]...))
			}
			b = b[n:]
		}
	default:
		return b
	}
	return out.Bytes()
}

// tiffLZW compresses by the specification's section 13: the table is cleared when it has 4094 strings.
func tiffLZW(b []byte) []byte {
	var codes []int
	var widths []int
	table := map[string]int{}
	width, next := 9, 258
	emit := func(c int) { codes, widths = append(codes, c), append(widths, width) }
	clearTable := func() {
		emit(256)
		table, width, next = map[string]int{}, 9, 258
	}
	code := func(s []byte) int {
		if len(s) == 1 {
			return int(s[0])
		}
		return table[string(s)]
	}
	clearTable()
	var omega []byte
	for _, k := range b {
		longer := append(slices.Clone(omega), k)
		if _, ok := table[string(longer)]; ok || len(longer) == 1 {
			omega = longer
			continue
		}
		emit(code(omega))
		table[string(longer)] = next
		next++
		if next == 4095 {
			clearTable()
		} else if next == 1<<width {
			width++ // one code before it is needed
		}
		omega = []byte{k}
	}
	emit(code(omega))
	if next++; next == 1<<width {
		width++
	}
	emit(257)
	var out []byte
	acc, have := 0, 0
	for i, c := range codes {
		acc, have = acc<<widths[i]|c, have+widths[i]
		for have >= 8 {
			have -= 8
			out = append(out, byte(acc>>have))
			acc &= 1<<have - 1
		}
	}
	return append(out, byte(acc<<(8-have)))
}

// file writes the header, the blocks and behind them the directory.
func (f tiffFile) file(blocks [][]byte) []byte {
	o := f.order()
	b := []byte("II*\x00")
	if f.big {
		b = []byte("MM\x00*")
	}
	b = o.AppendUint32(b, 0) // the place of the directory
	var offsets, counts []int
	for _, x := range blocks {
		offsets, counts = append(offsets, len(b)), append(counts, len(x))
		b = append(b, x...)
	}
	var depths, palette []int
	for range f.samples {
		depths = append(depths, f.bits)
	}
	for _, c := range f.palette {
		palette = append(palette, int(c))
	}
	one := func(set bool) int {
		if set {
			return 2
		}
		return 1
	}
	entries := []tiffTag{
		{254, 4, []int{0}}, {tagWidth, 3, []int{f.width}}, {tagHeight, 4, []int{f.height}}, {tagBits, 3, depths},
		{tagCompression, 3, []int{f.compression}}, {tagPhotometric, 3, []int{f.photometric}}, {305, 2, make([]int, 40)},
		{tagFillOrder, 3, []int{one(f.reversed)}}, {tagSamples, 3, []int{f.samples}}, {tagPlanar, 3, []int{one(f.planar)}}, {tagPredictor, 3, []int{one(f.predictor)}},
	}
	if palette != nil {
		entries = append(entries, tiffTag{tagPalette, 3, palette})
	}
	if f.tileWidth > 0 {
		entries = append(entries, tiffTag{tagTileWidth, 3, []int{f.tileWidth}}, tiffTag{tagTileHeight, 3, []int{f.tileHeight}},
			tiffTag{tagTileOffsets, 4, offsets}, tiffTag{tagTileCounts, 4, counts})
	} else {
		entries = append(entries, tiffTag{tagStripOffsets, 4, offsets}, tiffTag{tagRowsPerStrip, 4, []int{cmpOr(f.rows, -1)}},
			tiffTag{tagStripCounts, 3, counts})
	}
	return f.directory(b, entries)
}

type tiffTag struct {
	tag, kind int
	values    []int
}

func (f tiffFile) directory(b []byte, entries []tiffTag) []byte {
	o := f.order()
	dir := o.AppendUint16(nil, uint16(len(entries)))
	for _, e := range entries {
		var v []byte
		for _, x := range e.values {
			switch e.kind {
			case 3:
				v = o.AppendUint16(v, uint16(x))
			case 4:
				v = o.AppendUint32(v, uint32(x))
			default:
				v = append(v, byte(x))
			}
		}
		dir = o.AppendUint32(o.AppendUint16(o.AppendUint16(dir, uint16(e.tag)), uint16(e.kind)), uint32(len(e.values)))
		if len(v) > 4 {
			dir = o.AppendUint32(dir, uint32(len(b)))
			b = append(b, v...)
		} else {
			dir = append(append(dir, v...), make([]byte, 4-len(v))...)
		}
	}
	copy(b[4:], o.AppendUint32(nil, uint32(len(b))))
	return append(b, append(dir, 0, 0, 0, 0)...)
}

// colors returns the colors that the samples mean: those of 16 bits are cut to their high byte, the
// others scaled to 255 and rounded down.
func (f tiffFile) colors(v []int) (rgb []uint8) {
	for i := 0; i < len(v); i += f.samples {
		switch f.photometric {
		case 2:
			for k := range 3 {
				rgb = append(rgb, f.byte(v[i+k]))
			}
		case 3:
			for k := range 3 {
				rgb = append(rgb, uint8(f.palette[k<<f.bits+v[i]]>>8))
			}
		default:
			g := f.byte(v[i])
			if f.photometric == 0 {
				g = 255 - g
			}
			rgb = append(rgb, g, g, g)
		}
	}
	return rgb
}

func (f tiffFile) byte(x int) uint8 {
	if f.bits == 16 {
		return uint8(x >> 8)
	}
	return uint8(x * 255 / (1<<f.bits - 1))
}
