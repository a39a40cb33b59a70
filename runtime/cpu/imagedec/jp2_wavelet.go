package imagedec

// synthesize combines the bands of a component, resolution by resolution. number converts a decoded value to
// a number, lift inverts one filter.
func synthesize[T int32 | float32](levels []*jp2Level, number func(v int32, step float32) T, lift func(line []T, odd int)) []T {
	base := levels[0].bands[0]
	low := make([]T, len(base.values))
	for i, v := range base.values {
		low[i] = number(v, base.step)
	}
	lowRect := levels[0].rect
	for _, l := range levels[1:] {
		r := l.rect
		if r.empty() {
			low, lowRect = nil, r
			continue
		}
		w, h := r.width(), r.y1-r.y0
		out := make([]T, w*h)
		for i := range out {
			x, y := r.x0+i%w, r.y0+i/w
			if k := x&1 + y&1*2; k > 0 {
				b := l.bands[k-1]
				at := (y>>1-b.rect.y0)*b.rect.width() + x>>1 - b.rect.x0
				out[i] = number(b.values[at], b.step)
			} else {
				out[i] = low[(y>>1-lowRect.y0)*lowRect.width()+x>>1-lowRect.x0]
			}
		}
		for y := range h {
			lift(out[y*w:(y+1)*w], r.x0&1)
		}
		column := make([]T, h)
		for x := range w {
			for y := range column {
				column[y] = out[y*w+x]
			}
			lift(column, r.y0&1)
			for y, v := range column {
				out[y*w+x] = v
			}
		}
		low, lowRect = out, r
	}
	return low
}

func halve(v int32, _ float32) int32 { return v / 2 }

func scale(v int32, step float32) float32 { return float32(v) * (step / 2) }

// lift53 inverts the reversible filter. odd is 1 if the first number is one of the band with high
// frequencies.
func lift53(v []int32, odd int) {
	n := len(v)
	if n == 1 {
		v[0] >>= odd
		return
	}
	for i := odd; i < n; i += 2 {
		a, b := around(i, n)
		v[i] -= (v[a] + v[b] + 2) >> 2
	}
	for i := 1 - odd; i < n; i += 2 {
		a, b := around(i, n)
		v[i] += (v[a] + v[b]) >> 1
	}
}

// lift97 inverts the irreversible filter.
func lift97(v []float32, odd int) {
	n := len(v)
	if n == 1 {
		return
	}
	for i := range v {
		if i&1 == odd {
			v[i] *= 1.230174105
		} else {
			v[i] *= 1.625732422 // the quotient of 2 and that
		}
	}
	for k, f := range [4]float32{-0.443506852, -0.882911075, 0.052980118, 1.586134342} {
		for i := odd ^ k&1; i < n; i += 2 {
			a, b := around(i, n)
			v[i] += float32(f * (v[a] + v[b]))
		}
	}
}

// around returns the neighbors of i, mirrored at the ends.
func around(i, n int) (a, b int) {
	a, b = i-1, i+1
	if a < 0 {
		a = b
	}
	if b >= n {
		b = a
	}
	return a, b
}
