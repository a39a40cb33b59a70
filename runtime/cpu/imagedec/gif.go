package imagedec

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
)

// maxLZW is the maximum number of bytes for each byte of LZW: a code has 12 bits when strings have grown to
// 4096 bytes.
const maxLZW = 4096 * 8 / 12

// decodeGIF decodes the first image. The result is the whole screen: the image may cover a part of it, and the
// rest has the color of the background.
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
	p, err := newPicture(c.Width, c.Height)
	if err != nil {
		return nil, err
	}
	if i := int(data[11]); i < gifColors(data[10]) && m.Bounds() != image.Rect(0, 0, p.width, p.height) {
		for at := range p.width * p.height {
			p.set(at, data[13+3*i], data[14+3*i], data[15+3*i])
		}
	}
	showTransparent(m, data)
	p.draw(m)
	return p, nil
}

// gifColors returns the number of colors that follow flags, 0 for none.
func gifColors(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 2 << (flags & 7)
}

// showTransparent gives a transparent color of the first image the color that it has in the file. The decoder
// has made it black.
func showTransparent(m image.Image, data []byte) {
	colors, n := data[13:], gifColors(data[10])
	at, index := 13+3*n, -1
	for ; data[at] == '!'; at++ { // extensions
		if data[at+1] == 0xf9 && data[at+3]&1 != 0 {
			index = int(data[at+6])
		}
		for at += 2; data[at] != 0; {
			at += 1 + int(data[at])
		}
	}
	if own := gifColors(data[at+9]); own > 0 {
		colors, n = data[at+10:], own
	}
	if p, ok := m.(*image.Paletted); ok && index >= 0 && index < n {
		p.Palette[index] = color.RGBA{colors[3*index], colors[3*index+1], colors[3*index+2], 255}
	}
}
