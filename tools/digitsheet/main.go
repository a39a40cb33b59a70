// Digitsheet draws the digits of Go's own fonts, one font a row, for
// internal/digits:
//
//	go run ./digitsheet ../internal/digits/glyphs.png
//
// Outlines are slow to draw, and what draws them is a module that the compiler
// does not need: so it is done here, once. It runs in the directory of the tools
// module.
package main

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/gomediumitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/gomonobolditalic"
	"golang.org/x/image/font/gofont/gomonoitalic"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/gofont/gosmallcaps"
	"golang.org/x/image/font/gofont/gosmallcapsitalic"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

const (
	cellSize = 64 // of a digit's square; internal/digits knows it, too
	fontSize = 54 // makes digits about 40 pixels high
)

var fonts = [][]byte{
	goregular.TTF, goitalic.TTF, gomedium.TTF, gomediumitalic.TTF, gobold.TTF, gobolditalic.TTF,
	gomono.TTF, gomonoitalic.TTF, gomonobold.TTF, gomonobolditalic.TTF, gosmallcaps.TTF, gosmallcapsitalic.TTF,
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: digitsheet FILE.png")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "digitsheet:", err)
		os.Exit(1)
	}
}

func run(name string) error {
	img, err := sheet()
	if err != nil {
		return err
	}
	var buf bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	if err := enc.Encode(&buf, img); err != nil {
		return err
	}
	return os.WriteFile(name, buf.Bytes(), 0o644)
}

// sheet draws the digits 0 to 9 from left to right, white on black, each in the
// middle of its square.
func sheet() (*image.Gray, error) {
	img := image.NewGray(image.Rect(0, 0, 10*cellSize, len(fonts)*cellSize))
	for row, ttf := range fonts {
		f, err := opentype.Parse(ttf)
		if err != nil {
			return nil, err
		}
		face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: fontSize, DPI: 72, Hinting: font.HintingNone})
		if err != nil {
			return nil, err
		}
		for d := range 10 {
			box, mask, at, _, ok := face.Glyph(fixed.Point26_6{}, rune('0'+d))
			if !ok {
				return nil, fmt.Errorf("font %d has no digit %d", row, d)
			}
			corner := image.Pt(d*cellSize+(cellSize-box.Dx())/2, row*cellSize+(cellSize-box.Dy())/2)
			draw.DrawMask(img, image.Rectangle{Min: corner, Max: corner.Add(box.Size())}, image.White, image.Point{}, mask, at, draw.Over)
		}
	}
	return img, nil
}
