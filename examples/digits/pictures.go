package main

import (
	"bytes"
	"strings"

	"github.com/bbgen/bbgen/internal/digits"
)

// gap is the space between two pictures.
const gap = 4

// shades are characters in the order of their darkness.
const shades = " .:-=+*#%@"

// pictures draws images side by side. A character is twice as high as wide, so it represents two pixels, one
// above the other.
func pictures(images []byte) string {
	var b strings.Builder
	var line []byte
	for y := 0; y < digits.Size; y += 2 {
		line = line[:0]
		for img := images; len(img) > 0; img = img[digits.Pixels:] {
			for x := range digits.Size {
				ink := int(img[y*digits.Size+x]) + int(img[(y+1)*digits.Size+x])
				line = append(line, shades[ink*len(shades)/(2*255+1)])
			}
			line = append(line, strings.Repeat(" ", gap)...)
		}
		b.Write(bytes.TrimRight(line, " "))
		b.WriteByte('\n')
	}
	return b.String()
}
