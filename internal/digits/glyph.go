package digits

import (
	"bytes"
	_ "embed"
	"image"
	"image/png"
	"sync"
)

//go:generate env GOWORK=off go run -C ../../tools ./digitsheet ../internal/digits/glyphs.png

// sheet shows the ten digits from left to right, with one font in each row. The fonts are Go's own. Rendering
// their outlines here would add the dependencies of a font renderer to the compiler's module.
//
//go:embed glyphs.png
var sheet []byte

const (
	cellScale = 2  // pixels of a cell for one of an image
	cellSize  = 64 // the width and the height of a cell
)

// A cell is a digit in the middle of a black square. It is larger than needed and slightly blurred, so that
// sampling single points gives a smooth image. Digits are about 20 pixels of an image high, like MNIST's.
type cell [cellSize * cellSize]byte

// glyphs returns the ten digits of each font.
var glyphs = sync.OnceValue(func() [][10]cell {
	img, err := png.Decode(bytes.NewReader(sheet))
	if err != nil {
		panic("BUG: digits: glyphs.png: " + err.Error())
	}
	gray := img.(*image.Gray)
	all := make([][10]cell, gray.Rect.Dy()/cellSize)
	for row := range all {
		for d := range 10 {
			c := &all[row][d]
			for y := range cellSize {
				at := gray.PixOffset(d*cellSize, row*cellSize+y)
				copy(c[y*cellSize:][:cellSize], gray.Pix[at:])
			}
			blur(c[:], cellSize)
		}
	}
	return all
})
