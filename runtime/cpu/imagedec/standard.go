package imagedec

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
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
	return fromImage(m)
}

// maxInflate is the maximum number of bytes for each byte of DEFLATE.
const maxInflate = 1032

// maxLZW is the maximum number of bytes for each byte of LZW: a code has 12 bits when strings have grown to
// 4096 bytes.
const maxLZW = 4096 * 8 / 12

func decodeGIF(data []byte) (*picture, error) {
	c, err := gif.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if err := checkSize(c.Width, c.Height, maxLZW, len(data)); err != nil {
		return nil, err
	}
	m, err := gif.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return fromImage(m)
}

// fromImage copies the colors of an image, and ignores transparency.
func fromImage(m image.Image) (*picture, error) {
	r := m.Bounds()
	p, err := newPicture(r.Dx(), r.Dy())
	if err != nil {
		return nil, err
	}
	i := 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			switch c := m.At(x, y).(type) {
			case color.NRGBA:
				p.set(i, c.R, c.G, c.B)
			case color.NRGBA64:
				p.set(i, uint8(c.R>>8), uint8(c.G>>8), uint8(c.B>>8))
			default:
				r, g, b, _ := c.RGBA()
				p.set(i, uint8(r>>8), uint8(g>>8), uint8(b>>8))
			}
			i++
		}
	}
	return p, nil
}
