package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"testing"
)

// TestFresh compares the committed sheet to the fonts, pixel by pixel: the bytes
// of a PNG file may differ from one Go version to the next.
func TestFresh(t *testing.T) {
	f, err := os.Open("../../internal/digits/glyphs.png")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	have, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	want, err := sheet()
	if err != nil {
		t.Fatal(err)
	}
	gray, ok := have.(*image.Gray)
	if !ok || gray.Rect != want.Rect || !bytes.Equal(gray.Pix, want.Pix) {
		t.Error("internal/digits/glyphs.png is stale: run go generate in internal/digits")
	}
}
