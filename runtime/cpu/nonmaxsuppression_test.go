package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSuppression compares the selection among random boxes, including empty ones and ones with NaN, with the
// definition.
func TestSuppression(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		const n = 40
		boxes, scores := make([]float32, n*4), make([]float32, n)
		for i := range boxes {
			boxes[i] = float32(rng.IntN(12))
		}
		boxes[rng.IntN(len(boxes))] = float32(math.NaN())
		for i := range scores {
			scores[i] = rng.Float32()
		}
		p := NMSParams{Batches: 1, Classes: 1, Boxes: n, Center: rng.IntN(2) == 0}
		limit := rng.Float32() / 2
		picked := make([]int64, n*3)
		k := NonMaxSuppressionCount(picked, make([]int64, n), make([]float32, n*5), boxes, scores, NMSLimits{Boxes: []int64{n}, Overlap: []float32{limit}}, p)
		var got []int
		for i := range k {
			got = append(got, int(picked[i*3+2]))
		}
		if want := p.plain(boxes, scores, limit); !slices.Equal(got, want) {
			t.Fatalf("overlap %v of %v: got %v, want %v", limit, boxes, got, want)
		}
	}
}

// plain selects box after box, each the best of those that overlap no selected one by more than the limit.
func (p *NMSParams) plain(boxes, scores []float32, limit float32) []int {
	order := make([]int, p.Boxes)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if scores[a] > scores[b] {
			return -1
		}
		return 1
	})
	var out []int
	for _, i := range order {
		a := p.corners(boxes[i*4:][:4])
		if !slices.ContainsFunc(out, func(k int) bool { return overlap(a, p.corners(boxes[k*4:][:4])) > limit }) {
			out = append(out, i)
		}
	}
	return out
}

// overlap returns the common area of two boxes, relative to the area that they cover.
func overlap(a, b [5]float32) float32 {
	h, w := min(a[2], b[2])-max(a[0], b[0]), min(a[3], b[3])-max(a[1], b[1])
	both := h * w
	if union := a[4] + b[4] - both; h > 0 && w > 0 && a[4] > 0 && b[4] > 0 && union > 0 {
		return both / union
	}
	return 0
}
