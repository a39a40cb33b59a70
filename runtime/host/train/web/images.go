package web

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime/host/train"
)

// sample is an image of a validation; its file is made when a browser requests it.
type sample struct {
	train.Sample
	file string
}

func samplesOf(list []train.Sample) []sample {
	var out []sample
	for _, s := range list {
		out = append(out, sample{Sample: s})
	}
	return out
}

// images returns the images of the last validation, with predictions.
func (p *Page) images() string {
	if len(p.samples) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<h2>Examples that are held back, in validation %d</h2>\n<div class=small>\n", p.validations)
	for i := range p.samples {
		s := &p.samples[i]
		if s.file == "" {
			s.file = encoded(picture(s.Shape, s.Pixels))
		}
		text, class := s.Said, "up"
		if !s.Right {
			text, class = fmt.Sprintf("✗ %s, not %s", s.Said, s.Label), "missing"
		} else {
			text = "✓ " + text
		}
		fmt.Fprintf(&b, "<figure class=sample><img src=\"data:image/png;base64,%s\" alt=\"an example of %s\"><figcaption class=%s>%s</figcaption></figure>\n",
			s.file, html.EscapeString(s.Label), class, html.EscapeString(text))
	}
	b.WriteString("</div>\n")
	return b.String()
}

// maxSide is the maximum number of rows and columns of a displayed image.
const maxSide = 512

// picture returns an image of one or three channels. Its largest value is white, and its smallest black.
func picture(shape []int, pixels []float32) image.Image {
	rows, columns := shape[len(shape)-2], shape[len(shape)-1]
	plane := rows * columns
	low, high := slices.Min(pixels), slices.Max(pixels)
	at := func(channel, i int) uint8 {
		if !(high > low) {
			return 0
		}
		return uint8(255 * (pixels[channel*plane+i] - low) / (high - low))
	}
	size := image.Rect(0, 0, min(columns, maxSide), min(rows, maxSide))
	gray, colored := image.NewGray(size), image.NewRGBA(size)
	for y := range size.Dy() {
		for x := range size.Dx() {
			i := y*columns + x
			if len(pixels) == plane {
				gray.SetGray(x, y, color.Gray{Y: at(0, i)})
			} else {
				colored.SetRGBA(x, y, color.RGBA{at(0, i), at(1, i), at(2, i), 255})
			}
		}
	}
	if len(pixels) == plane {
		return gray
	}
	return colored
}

// encoded returns the PNG file of an image in base64, for a data URL.
func encoded(m image.Image) string {
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic("BUG: " + err.Error())
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}
