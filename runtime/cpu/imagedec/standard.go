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
	if err != nil || c.Width > maxPixels/max(c.Height, 1) {
		return nil, errFormat
	}
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return fromImage(m)
}

func decodeGIF(data []byte) (*picture, error) {
	m, err := gif.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return fromImage(m)
}

// fromImage takes the colors of an image as they are, transparent or not.
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
