package cpu

import (
	"fmt"
	"math"
	"testing"
)

// exactSample returns the value of tap k of a channel at a place: the 2ⁿ elements around the point, weighted, and 0 outside.
func exactSample(img, offset []float64, w Window, k, place int) float64 {
	places, rank := sizeOf(w.Out), len(w.In)
	at := make([]float64, rank)
	for a, tap, o := rank-1, k, place; a >= 0; a-- {
		at[a] = float64(o%w.Out[a]*w.Stride[a]+tap%w.Kernel[a]*w.Dilation[a]-w.Pad[a]) + offset[(k*rank+a)*places+place]
		tap /= w.Kernel[a]
		o /= w.Out[a]
	}
	sum := 0.0
	for i, v := range img {
		f, rest := 1.0, i
		for a := rank - 1; a >= 0; a-- {
			f *= max(0, 1-math.Abs(at[a]-float64(rest%w.In[a])))
			rest /= w.In[a]
		}
		sum += f * v
	}
	return sum
}

// TestDeformConv compares convolutions with their definition: groups of channels and of offsets, with and without a mask and a
// bias.
func TestDeformConv(t *testing.T) {
	const images, channels, filters, groups, shared = 2, 4, 6, 2, 2 // shared: groups of offsets
	depth := channels / groups
	for _, win := range gradientWindows {
		places, taps, size := sizeOf(win.Out), sizeOf(win.Kernel), sizeOf(win.In)
		x, w, bias := gaussians[float64](images*channels*size), gaussians[float64](filters*depth*taps), gaussians[float64](filters)
		offset, mask := gaussians[float64](images*shared*taps*len(win.In)*places), gaussians[float64](images*shared*taps*places)
		for which := range 4 {
			b, m := bias, mask
			if which&1 != 0 {
				b = nil
			}
			if which&2 != 0 {
				m = nil
			}
			want := make([]float64, images*filters*places)
			for i := range want {
				n, f, place := i/(filters*places), i/places%filters, i%places
				if b != nil {
					want[i] = b[f]
				}
				for c := range depth {
					channel := f/(filters/groups)*depth + c
					g := n*shared + channel/(channels/shared)
					for k := range taps {
						v := w[(f*depth+c)*taps+k] * exactSample(row(x, n*channels+channel, size), row(offset, g, taps*len(win.In)*places), win, k, place)
						if m != nil {
							v *= m[(g*taps+k)*places+place]
						}
						want[i] += v
					}
				}
			}
			s := DeformShape{Images: images, Channels: channels, Filters: filters, Groups: groups, OffsetGroups: shared, Window: win}
			got := make([]float64, len(want))
			DeformConv(got, x, w, offset, b, m, make([]float64, channels*taps*places), s)
			nearly(t, fmt.Sprint(win.In, which), got, want, 1e-11)
			single := make([]float32, len(want))
			DeformConv(single, narrow32(x), narrow32(w), narrow32(offset), nilOr32(b), nilOr32(m), make([]float32, channels*taps*places), s)
			nearly(t, fmt.Sprint("float32 ", win.In, which), widen64(single), want, 1e-4)
		}
	}
	DeformConv([]float32{}, nil, nil, nil, nil, nil, nil, DeformShape{})
}

// nilOr32 keeps that an operand is missing.
func nilOr32(x []float64) []float32 {
	if x == nil {
		return nil
	}
	return narrow32(x)
}
