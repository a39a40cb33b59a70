package imagedec

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math/bits"
)

// tiff is the first image of a TIFF file: blocks of pixels, which are compressed separately. Strips are
// blocks with the width of the image.
type tiff struct {
	order                     binary.ByteOrder
	data                      []byte
	width, height             int
	blockWidth, blockHeight   int
	bits, samples             int
	planar                    bool // each sample has separate blocks
	photometric, predictor    int
	compression               int
	fillReversed              bool
	offsets, counts, palettes []int
}

// Tags of a TIFF file.
const (
	tagWidth        = 256
	tagHeight       = 257
	tagBits         = 258
	tagCompression  = 259
	tagPhotometric  = 262
	tagFillOrder    = 266
	tagStripOffsets = 273
	tagSamples      = 277
	tagRowsPerStrip = 278
	tagStripCounts  = 279
	tagPlanar       = 284
	tagPredictor    = 317
	tagPalette      = 320
	tagTileWidth    = 322
	tagTileHeight   = 323
	tagTileOffsets  = 324
	tagTileCounts   = 325
	tagSampleFormat = 339
)

// known are the tags that are used.
var known = map[int]bool{
	tagWidth: true, tagHeight: true, tagBits: true, tagCompression: true, tagPhotometric: true, tagFillOrder: true,
	tagStripOffsets: true, tagSamples: true, tagRowsPerStrip: true, tagStripCounts: true, tagPlanar: true, tagPredictor: true,
	tagPalette: true, tagTileWidth: true, tagTileHeight: true, tagTileOffsets: true, tagTileCounts: true, tagSampleFormat: true,
}

func decodeTIFF(data []byte) (*picture, error) {
	t := &tiff{order: binary.LittleEndian, data: data}
	if data[0] == 'M' {
		t.order = binary.BigEndian
	}
	if err := t.header(); err != nil {
		return nil, err
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	p, err := newPicture(t.width, t.height)
	if err != nil {
		return nil, err
	}
	planes, samples := 1, t.samples
	if t.planar {
		planes, samples = t.samples, 1
	}
	across := (t.width + t.blockWidth - 1) / t.blockWidth
	down := (t.height + t.blockHeight - 1) / t.blockHeight
	for y := range down {
		for x := range across {
			rows := min(t.blockHeight, t.height-y*t.blockHeight)
			var parts [4][]uint8
			for s := range planes {
				block, err := t.block((s*down+y)*across+x, rows, samples)
				if err != nil {
					return nil, err
				}
				parts[min(s, 3)] = block
			}
			t.place(p, x*t.blockWidth, y*t.blockHeight, parts)
		}
	}
	return p, nil
}

// header reads the directory of the first image.
func (t *tiff) header() error {
	tags := map[int][]int{
		tagBits: {1}, tagCompression: {1}, tagSamples: {1}, tagPlanar: {1}, tagPredictor: {1}, tagFillOrder: {1}, tagSampleFormat: {1},
	}
	at := int(t.order.Uint32(t.data[4:]))
	seen := map[int]bool{}
	for i := range int(t.order.Uint16(t.data[at:])) {
		e := t.data[at+2+12*i:][:12]
		tag := int(t.order.Uint16(e))
		if seen[tag] {
			return errFormat
		}
		seen[tag] = true
		if known[tag] { // other tags may be as long as the file
			tags[tag] = t.values(e)
		}
	}
	t.width, t.height = tags[tagWidth][0], tags[tagHeight][0]
	t.bits, t.samples, t.compression = tags[tagBits][0], tags[tagSamples][0], tags[tagCompression][0]
	t.photometric, t.predictor = tags[tagPhotometric][0], tags[tagPredictor][0]
	t.planar, t.fillReversed = tags[tagPlanar][0] == 2, tags[tagFillOrder][0] == 2
	t.palettes = tags[tagPalette]
	t.blockWidth, t.blockHeight = t.width, t.height
	if w := tags[tagTileWidth]; w != nil {
		t.blockWidth, t.blockHeight = w[0], tags[tagTileHeight][0]
		t.offsets, t.counts = tags[tagTileOffsets], tags[tagTileCounts]
	} else {
		if r := tags[tagRowsPerStrip]; r != nil && r[0] >= 0 { // the largest number means all rows, and is negative in 32 bits
			t.blockHeight = min(r[0], t.height)
		}
		t.offsets, t.counts = tags[tagStripOffsets], tags[tagStripCounts]
	}
	known := t.bits == 1 || t.bits == 2 || t.bits == 4 || t.bits == 8 || t.bits == 16
	if !known || t.samples < 1 || t.samples > 16 || tags[tagSampleFormat][0] != 1 || t.blockWidth < 1 || t.blockHeight < 1 {
		return errFormat
	}
	if t.photometric > 3 || t.photometric == 2 && t.samples < 3 {
		return errFormat
	}
	return nil
}

// check returns an error if the image cannot be in the file. All blocks are counted, though the last ones may
// be partly outside of the image. A block must not have more samples than four of each pixel of the largest
// image, as its size is not limited by that of the image.
func (t *tiff) check() error {
	if t.width < 1 || t.height < 1 {
		return errSize
	}
	across := ceilDiv(t.width, t.blockWidth)
	perByte := map[int]int{1: 1, 5: maxLZW, 8: maxInflate, 32946: maxInflate, 32773: 64}[t.compression]
	row := area(area(across, t.blockWidth), t.bits*t.samples) / 8
	if err := plausible(area(row+1, t.height), perByte, len(t.data)); err != nil {
		return err
	}
	if err := checkLimit(t.width, t.height); err != nil {
		return err
	}
	block := area(area(t.blockWidth, min(t.blockHeight, t.height)), t.samples)
	if block > area(4, max(maxPixels(), slack)) {
		return errFormat
	}
	return nil
}

// values returns the numbers of a directory entry.
func (t *tiff) values(e []byte) []int {
	size := map[uint16]int{1: 1, 3: 2, 4: 4}[t.order.Uint16(e[2:])]
	n := int(t.order.Uint32(e[4:]))
	if size == 0 || n < 1 || n > len(t.data) {
		return nil
	}
	src := e[8:]
	if n*size > 4 {
		src = t.data[t.order.Uint32(e[8:]):]
	}
	out := make([]int, n)
	for i := range out {
		switch size {
		case 1:
			out[i] = int(src[i])
		case 2:
			out[i] = int(t.order.Uint16(src[2*i:]))
		default:
			out[i] = int(t.order.Uint32(src[4*i:]))
		}
	}
	return out
}

// block decodes block i, of the given rows, into a byte for each sample.
func (t *tiff) block(i, rows, samples int) ([]uint8, error) {
	src := t.data[t.offsets[i]:][:t.counts[i]]
	stride := (t.blockWidth*samples*t.bits + 7) / 8
	if t.fillReversed {
		src = reversedBits(src, 2*stride*rows+slack)
	}
	raw, err := t.inflate(src, stride*rows)
	if err != nil {
		return nil, err
	}
	out := make([]uint8, t.blockWidth*rows*samples)
	for y := range rows {
		t.samplesOf(out[y*t.blockWidth*samples:][:t.blockWidth*samples], raw[y*stride:][:stride], samples)
	}
	return out, nil
}

// reversedBits returns the first bytes of src, most at most, with the order of their bits reversed, as FillOrder 2 says of all bytes of
// a block. No compressed block is longer than twice its contents and some.
func reversedBits(src []byte, most int) []byte {
	out := make([]byte, min(len(src), most))
	for i := range out {
		out[i] = bits.Reverse8(src[i])
	}
	return out
}

// inflate decompresses a block of n bytes.
func (t *tiff) inflate(src []byte, n int) ([]byte, error) {
	switch t.compression {
	case 1:
		return src[:n], nil
	case 5:
		return unLZW(src, n)
	case 8, 32946:
		r, err := zlib.NewReader(bytes.NewReader(src))
		if err != nil {
			return nil, err
		}
		out := make([]byte, n)
		_, err = io.ReadFull(r, out)
		return out, err
	case 32773:
		return unpackBits(src, n), nil
	}
	return nil, errFormat
}

// unpackBits expands runs of bytes.
func unpackBits(src []byte, n int) []byte {
	out := make([]byte, 0, n)
	for len(out) < n {
		c := int(int8(src[0]))
		switch {
		case c >= 0:
			out = append(out, src[1:2+c]...)
			src = src[2+c:]
		case c == -128:
			src = src[1:]
		default:
			for range 1 - c {
				out = append(out, src[1])
			}
			src = src[2:]
		}
	}
	return out[:n]
}
