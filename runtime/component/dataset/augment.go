package dataset

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Augmentation varies images, so that a training sees more different images.
type Augmentation struct {
	Shift  float64 // by up to so many pixels in each direction
	Rotate float64 // by up to so many degrees in each direction
	Scale  float64 // by up to this fraction, larger or smaller
	Flip   bool    // horizontally, with probability 1/2
}

// ParseAugmentation reads settings as in "shift=2,rotate=10,scale=0.1,flip".
func ParseAugmentation(text string) (a Augmentation, err error) {
	for part := range strings.SplitSeq(text, ",") {
		name, value, given := strings.Cut(part, "=")
		if part == "flip" {
			a.Flip = true
			continue
		}
		field := map[string]*float64{"shift": &a.Shift, "rotate": &a.Rotate, "scale": &a.Scale}[name]
		if part == "" {
			continue
		}
		if field == nil || !given {
			return a, fmt.Errorf("augmentation %q: want shift=PIXELS, rotate=DEGREES, scale=PART or flip", part)
		}
		if *field, err = strconv.ParseFloat(value, 64); err != nil || !(*field >= 0 && *field < 1e6) || name == "scale" && *field >= 1 {
			return a, fmt.Errorf("augmentation %s is %q, want a number from 0 on, a scale below 1", name, value)
		}
	}
	return a, nil
}

// Check returns an error unless examples are images: the last two axes of the features are height and width.
func (a Augmentation) Check(features Spec) error {
	if a != (Augmentation{}) && (features.DType != tensor.Float32 || len(features.Shape) < 2) {
		return fmt.Errorf("augmentation is for images, the data are %v", features)
	}
	return nil
}

// Apply varies the images of a batch in place. The variation of an image depends only on the seed, the epoch
// and its number.
func (a Augmentation) Apply(seed uint64, epoch int, indices []int, x *tensor.Tensor) {
	if a == (Augmentation{}) {
		return
	}
	h, w := x.Shape[len(x.Shape)-2], x.Shape[len(x.Shape)-1]
	data := tensor.Data[float32](x)
	size := x.Len() / max(len(indices), 1)
	plane := make([]float32, h*w)
	for k, i := range indices {
		r := random(seed^0x6175676d656e7400, uint64(epoch)<<40|uint64(i))
		spread := func(by float64) float64 { return (2*unit(r) - 1) * by }
		p := place(h, w, spread(a.Shift), spread(a.Shift), spread(a.Rotate), 1+spread(a.Scale), unit(r) < 0.5 && a.Flip)
		for img := data[k*size : (k+1)*size]; len(img) > 0; img = img[h*w:] {
			p.draw(plane, img[:h*w], h, w)
			copy(img, plane)
		}
	}
}

// placement maps a pixel of the result to its source: x0+xx·x+xy·y, and likewise for y.
type placement struct{ x0, xx, xy, y0, yx, yy float64 }

// place rotates around the center, scales and then shifts.
func place(h, w int, dx, dy, degrees, scale float64, flip bool) placement {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	mx, my := float64(w-1)/2, float64(h-1)/2
	p := placement{xx: cos / scale, xy: sin / scale, yx: -sin / scale, yy: cos / scale}
	p.x0 = mx - float64(p.xx*(mx+dx)) - float64(p.xy*(my+dy))
	p.y0 = my - float64(p.yx*(mx+dx)) - float64(p.yy*(my+dy))
	if flip {
		p.x0, p.xx, p.xy = float64(w-1)-p.x0, -p.xx, -p.xy
	}
	return p
}

// draw interpolates between the four nearest pixels; pixels outside of the image are 0.
func (p placement) draw(dst, src []float32, h, w int) {
	at := func(x, y int) float64 {
		if x < 0 || y < 0 || x >= w || y >= h {
			return 0
		}
		return float64(src[y*w+x])
	}
	for y := range h {
		for x := range w {
			u := p.x0 + float64(p.xx*float64(x)) + float64(p.xy*float64(y))
			v := p.y0 + float64(p.yx*float64(x)) + float64(p.yy*float64(y))
			iu, iv := math.Floor(u), math.Floor(v)
			fu, fv := u-iu, v-iv
			cx, cy := int(iu), int(iv)
			top := between(at(cx, cy), at(cx+1, cy), fu)
			bottom := between(at(cx, cy+1), at(cx+1, cy+1), fu)
			dst[y*w+x] = float32(between(top, bottom, fv))
		}
	}
}

// between interpolates from a at 0 to b at 1.
func between(a, b, f float64) float64 { return a + float64((b-a)*f) }

// normalized is a source whose features are shifted and scaled.
type normalized struct {
	DataSource
	mean, std []float32
}

// Normalize is a source whose features are (x - mean) / std. There is one mean
// and one deviation for all, or one for each index of the features' first axis,
// such as the channels of images.
func Normalize(s DataSource, mean, std []float32) (DataSource, error) {
	f := s.Features()
	if f.DType != tensor.Float32 {
		return nil, fmt.Errorf("only floats can be normalized, the data are %v", f)
	}
	if len(mean) != len(std) || len(mean) != 1 && (len(f.Shape) == 0 || len(mean) != f.Shape[0]) {
		return nil, fmt.Errorf("%d means and %d deviations for %v, want one of each, or one for each index of the first axis", len(mean), len(std), f)
	}
	for _, d := range std {
		if !(d > 0) {
			return nil, fmt.Errorf("deviation %g, want more than 0", d)
		}
	}
	return &normalized{s, mean, std}, nil
}

func (n *normalized) Batch(indices []int, x, y *tensor.Tensor) error {
	if err := n.DataSource.Batch(indices, x, y); err != nil {
		return err
	}
	data := tensor.Data[float32](x)
	size := len(data) / max(len(indices)*len(n.mean), 1)
	for i := 0; len(data) > 0; i++ {
		mean, std := n.mean[i%len(n.mean)], n.std[i%len(n.std)]
		for k, v := range data[:size] {
			data[k] = (v - mean) / std
		}
		data = data[size:]
	}
	return nil
}
