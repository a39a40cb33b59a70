package imagedec

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
)

func decodePNG(data []byte) (*picture, error) {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, errFormat
	}
	channels := [8]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[data[25]&7] // by color type
	if err := checkSize(c.Width, c.Height, maxInflate*8/(channels*int(data[24])), len(data)); err != nil {
		return nil, err
	}
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	p, err := newPicture(c.Width, c.Height)
	if err != nil {
		return nil, err
	}
	p.draw(m)
	return p, nil
}

// maxInflate is the maximum number of bytes for each byte of DEFLATE.
const maxInflate = 1032

// draw copies the colors of an image to its place, and ignores transparency.
func (p *picture) draw(m image.Image) {
	r := m.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			i := y*p.width + x
			switch c := m.At(x, y).(type) {
			case color.NRGBA:
				p.set(i, c.R, c.G, c.B)
			case color.NRGBA64:
				p.set(i, uint8(c.R>>8), uint8(c.G>>8), uint8(c.B>>8))
			default:
				r, g, b, _ := c.RGBA()
				p.set(i, uint8(r>>8), uint8(g>>8), uint8(b>>8))
			}
		}
	}
}
