package imagedec

import "encoding/binary"

// decodeWebP decodes a still image: the first chunk with an image. Transparency is ignored.
func decodeWebP(data []byte) (*picture, error) {
	for rest := data[12:]; len(rest) >= 8; {
		n := int(binary.LittleEndian.Uint32(rest[4:]))
		body := rest[8:][:min(n, len(rest)-8)]
		switch string(rest[:4]) {
		case "VP8 ":
			return decodeVP8(body)
		case "VP8L":
			return decodeVP8L(body)
		}
		rest = rest[min(8+n+n%2, len(rest)):]
	}
	return nil, errFormat
}

// colors computes the pixels of p. Chroma is interpolated from the four nearest samples with the weights 9,
// 3, 3 and 1.
func (d *vp8) colors(p *picture) {
	half := (d.width + 1) / 2
	u, v := make([]uint8, 2*half+1), make([]uint8, 2*half+1)
	for y := range d.height {
		near := y / 2
		far := min(max(near-1+y%2*2, 0), (d.height+1)/2-1)
		d.u.widen(u, near, far, half)
		d.v.widen(v, near, far, half)
		for x, l := range d.y.pix[d.y.at+y*d.y.stride:][:d.width] {
			luma, cb, cr := int(l)*19077>>8, int(u[x]), int(v[x])
			p.set(y*d.width+x,
				clamp((luma+cr*26149>>8-14234)>>6),
				clamp((luma-cb*6419>>8-cr*13320>>8+8708)>>6),
				clamp((luma+cb*33050>>8-17685)>>6))
		}
	}
}

// widen computes a row of chroma of n samples from two rows.
func (p *vp8Plane) widen(dst []uint8, near, far, n int) {
	a, b := p.pix[p.at+near*p.stride:][:n], p.pix[p.at+far*p.stride:][:n]
	dst[0] = uint8((3*int(a[0]) + int(b[0]) + 2) >> 2)
	for x := 1; x < n; x++ {
		a0, a1, b0, b1 := int(a[x-1]), int(a[x]), int(b[x-1]), int(b[x])
		sum := a0 + a1 + b0 + b1 + 8
		dst[2*x-1] = uint8(((sum+2*(a1+b0))>>3 + a0) >> 1)
		dst[2*x] = uint8(((sum+2*(a0+b1))>>3 + a1) >> 1)
	}
	dst[2*n-1] = uint8((3*int(a[n-1]) + int(b[n-1]) + 2) >> 2)
}
