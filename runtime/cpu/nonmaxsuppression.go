package cpu

import "slices"

// NMSParams is the sizes and the attribute of a NonMaxSuppression.
type NMSParams struct {
	Batches, Classes, Boxes int
	Center                  bool // boxes are given by center and size, not by two corners
}

// NMSLimits are the limits of a NonMaxSuppression, each of one element or nil.
type NMSLimits struct {
	Boxes   []int64   // that a class of a batch may keep; nil for none
	Overlap []float32 // the largest that two of them may have; nil for 0
	Score   []float32 // which a box must exceed
}

// NonMaxSuppressionCount selects boxes, those with the best score first. A box is dropped if it overlaps a
// selected one of its class by more than the limit. It writes rows of batch, class and box to picked and
// returns their number. boxes is [batches, boxes, 4], scores is [batches, classes, boxes]. order needs an element
// for each box, kept five for each box that a class may keep, picked the maximum number of rows.
func NonMaxSuppressionCount(picked, order []int64, kept, boxes, scores []float32, limits NMSLimits, p NMSParams) int {
	most := 0
	if len(limits.Boxes) > 0 {
		most = int(min(max(limits.Boxes[0], 0), int64(p.Boxes)))
	}
	most = min(most, len(kept)/5)
	worst := float32(0) // the largest allowed overlap
	if len(limits.Overlap) > 0 {
		worst = limits.Overlap[0]
	}
	total := 0
	for b := range p.Batches {
		box := boxes[b*p.Boxes*4:][:p.Boxes*4]
		for c := range p.Classes {
			score := scores[(b*p.Classes+c)*p.Boxes:][:p.Boxes]
			own := picked[total*3:]
			n := 0
			for _, i := range byScore(order, score, limits.Score) {
				if n == most {
					break
				}
				a := p.corners(box[i*4:][:4])
				if !suppressed(kept[:n*5], &a, worst) {
					own[n*3], own[n*3+1], own[n*3+2] = int64(b), int64(c), i
					copy(kept[n*5:][:5], a[:])
					n++
				}
			}
			total += n
		}
	}
	return total
}

// byScore returns the boxes with a score above the threshold, the best first.
func byScore(order []int64, score, threshold []float32) []int64 {
	n := 0
	for i, s := range score {
		if s == s && (len(threshold) == 0 || s > threshold[0]) {
			order[n] = int64(i)
			n++
		}
	}
	slices.SortFunc(order[:n], func(a, b int64) int {
		switch {
		case score[a] > score[b]:
			return -1
		case score[a] < score[b]:
			return 1
		}
		return int(a - b)
	})
	return order[:n]
}

// suppressed reports whether a box overlaps one of the kept ones by more than the limit.
func suppressed(kept []float32, a *[5]float32, limit float32) bool {
	for ; len(kept) >= 5; kept = kept[5:] {
		b := kept[:5:5]
		if !(a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]) {
			continue // most boxes do not overlap
		}
		h := min(a[2], b[2]) - max(a[0], b[0])
		w := min(a[3], b[3]) - max(a[1], b[1])
		both := float32(h * w)
		union := a[4] + b[4] - both
		if both > 0 && a[4] > 0 && b[4] > 0 && union > 0 && both/union > limit {
			return true
		}
	}
	return false
}

// corners returns the smaller coordinates of a box, the larger ones, and its area.
func (p *NMSParams) corners(b []float32) [5]float32 {
	a := [5]float32{min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]), max(b[1], b[3])}
	if p.Center {
		a = [5]float32{b[1] - b[3]/2, b[0] - b[2]/2, b[1] + b[3]/2, b[0] + b[2]/2}
	}
	a[4] = (a[2] - a[0]) * (a[3] - a[1])
	return a
}
