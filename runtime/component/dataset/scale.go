package dataset

import (
	"image"
	"image/color"
	"math"
)

// planes returns the bytes of an image, channel after channel: gray, or red, green and blue. Transparent pixels
// are blended with black.
func planes(img image.Image, channels int) []byte {
	r := img.Bounds()
	size := r.Dx() * r.Dy()
	out := make([]byte, channels*size)
	at := 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c := img.At(x, y)
			if channels == 1 {
				out[at] = color.GrayModel.Convert(c).(color.Gray).Y
			} else {
				red, green, blue, _ := c.RGBA()
				out[at], out[size+at], out[2*size+at] = byte(red>>8), byte(green>>8), byte(blue>>8)
			}
			at++
		}
	}
	return out
}

// scaled scales channels of h by w bytes: each pixel is the mean of the pixels that it covers, weighted by
// their distance, or interpolated if the result is larger.
func scaled(b []byte, channels, h, w, toH, toW int) []byte {
	if h == toH && w == toW {
		return b
	}
	cols, rows := pixelWeightsOf(w, toW), pixelWeightsOf(h, toH)
	mid := make([]float32, channels*h*toW)
	for line := range channels * h {
		src, dst := b[line*w:][:w], mid[line*toW:][:toW]
		for x, t := range cols {
			sum := float32(0)
			for k, weight := range t.weights {
				sum += float32(float32(src[t.first+k]) * weight)
			}
			dst[x] = sum
		}
	}
	out := make([]byte, channels*toH*toW)
	for c := range channels {
		for y, t := range rows {
			for x := range toW {
				sum := float32(0.5)
				for k, weight := range t.weights {
					sum += float32(mid[(c*h+t.first+k)*toW+x] * weight)
				}
				out[(c*toH+y)*toW+x] = byte(min(max(sum, 0), 255))
			}
		}
	}
	return out
}

// pixelWeights is the source pixels of one pixel of the result, from first on.
type pixelWeights struct {
	first   int
	weights []float32
}

// pixelWeightsOf returns the weights of m pixels made of n: triangles as wide as two pixels of the coarser side.
func pixelWeightsOf(n, m int) []pixelWeights {
	scale := float64(n) / float64(m)
	reach := max(scale, 1)
	out := make([]pixelWeights, m)
	for i := range out {
		center := (float64(i)+0.5)*scale - 0.5
		first := max(int(math.Ceil(center-reach)), 0)
		last := min(int(math.Floor(center+reach)), n-1)
		t := pixelWeights{first: first}
		sum := 0.0
		for k := first; k <= last; k++ {
			weight := max(1-math.Abs(float64(k)-center)/reach, 0)
			t.weights = append(t.weights, float32(weight))
			sum += weight
		}
		for k := range t.weights {
			t.weights[k] /= float32(sum)
		}
		out[i] = t
	}
	return out
}
